// What a webhook is limited to.
import { Link } from '@tanstack/react-router';
import type { WebhookView } from '../../../client/index.js';
import { SessionLink, StateLink } from '../../parts/text/links.js';

export function Limits({
  of: { state_id, root_session_id, schema_name, when },
}: {
  readonly of: WebhookView;
}) {
  return (
    <span className="row">
      {state_id !== null && <StateLink id={state_id}>a state</StateLink>}
      {root_session_id !== null && <SessionLink session={root_session_id} name="a tree" />}
      {schema_name !== null && (
        <Link to="/ui/schemas/$name" params={{ name: schema_name }} search={{}}>
          schema {schema_name}
        </Link>
      )}
      {when !== null && <span>documents that fit a condition</span>}
      {state_id === null && root_session_id === null && schema_name === null && when === null && (
        <span className="faint">everything</span>
      )}
    </span>
  );
}
