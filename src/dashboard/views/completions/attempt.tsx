// One attempt of a completion: its outcome, timing and errors, and the prompt that its agent was given.
import { useQuery } from '@tanstack/react-query';
import type { CompletionView } from '../../../client/index.js';
import { run } from '../../api/list-queries.js';
import { useClient } from '../../api/use-api.js';
import { Ago, Panel, Status, Took, Unread } from '../../parts/basics.js';
import { Facts, Text } from '../../parts/facts.js';
import { RunLink } from '../../parts/text/links.js';
import { Violations } from '../../parts/violations.js';

interface AttemptProps {
  readonly one: CompletionView['attempts'][number];
  /** The prompt of an open attempt of an external session. */
  readonly request: string | undefined;
}

export function Attempt({ one, request }: AttemptProps) {
  const title = `Attempt ${String(one.attempt)}`;
  return (
    <Panel title={title} aside={<Status value={one.outcome} />}>
      <Facts
        of={{
          Started: <Ago at={one.started_at} />,
          Took: <Took from={one.started_at} to={one.ended_at} />,
          Run: one.run_id === null ? 'none: the session reports for itself' : <RunLink id={one.run_id} />,
          Prompt: `level ${String(one.prompt_level)} of 3`,
        }}
      />
      {one.errors.length > 0 && <Violations of={one.errors} />}
      {one.run_id !== null ? (
        <PromptOfRun label={`Prompt of ${title.toLowerCase()}`} id={one.run_id} />
      ) : request !== undefined ? (
        <Text label={`Prompt of ${title.toLowerCase()}`}>{request}</Text>
      ) : (
        <p className="faint">
          The prompt was given to the session when it reported, and only that of an open attempt is kept.
        </p>
      )}
    </Panel>
  );
}

function PromptOfRun({ label, id }: { readonly label: string; readonly id: string }) {
  const read = useQuery(run(useClient(), id));
  if (!read.isSuccess) return <Unread read={read} what="the prompt" />;
  return <Text label={label}>{read.data.prompt}</Text>;
}
