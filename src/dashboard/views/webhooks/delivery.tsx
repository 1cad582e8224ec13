// A delivery of a webhook as a row, with its attempts.
import { Link } from '@tanstack/react-router';
import type { DeliveryView } from '../../../client/index.js';
import { useClient } from '../../api/use-api.js';
import { Action } from '../../parts/actions/action.js';
import { Ago, Countdown, Status } from '../../parts/basics.js';
import { Reveal, Text } from '../../parts/facts.js';

export const DELIVERY_HEAD = ['Status', 'Event', 'Made', 'Next attempt', 'Why', 'Attempts', 'What to do'];

interface DeliveryRowProps {
  readonly webhookId: string;
  readonly one: DeliveryView;
}

export function DeliveryRow({ webhookId, one }: DeliveryRowProps) {
  const { webhooks } = useClient();
  const last = one.attempts.at(-1);
  return (
    <tr>
      <td>
        <Status value={one.status} />
      </td>
      <td>
        {one.state_id === null ? (
          one.type
        ) : (
          <Link
            to="/ui/states/$id"
            params={{ id: one.state_id }}
            search={one.version === null ? {} : { at: one.version }}
          >
            {one.type}
            {one.version === null ? '' : ` ${String(one.version)}`}
          </Link>
        )}
      </td>
      <td>
        <Ago at={one.created_at} />
      </td>
      <td>
        {one.next_attempt_at === null ? (
          <span className="faint">none</span>
        ) : (
          <Countdown to={one.next_attempt_at} />
        )}
      </td>
      <td className="prose">{one.reason ?? (last === undefined ? null : answerOf(last))}</td>
      <td>
        {one.attempts.length === 0 ? (
          <span className="faint">none</span>
        ) : (
          <Reveal name={one.attempts.length === 1 ? '1 attempt' : `${String(one.attempts.length)} attempts`}>
            <Attempts of={one.attempts} />
          </Reveal>
        )}
      </td>
      <td>
        {(one.status === 'dead' || one.status === 'delivered') && (
          <Action
            name="Redeliver"
            right="orchestrate"
            withReason
            effect="The same message is sent to the URL again."
            run={(reason) => webhooks.redeliver(webhookId, one.delivery_id, { reason })}
          />
        )}
      </td>
    </tr>
  );
}

type DeliveryAttempt = DeliveryView['attempts'][number];

function answerOf({ status, error }: DeliveryAttempt): string {
  if (error !== null) return error;
  return status === null ? 'No answer came.' : `It answered ${String(status)}.`;
}

function Attempts({ of }: { readonly of: readonly DeliveryAttempt[] }) {
  return (
    <ol className="attempts">
      {of.map((one) => (
        <li key={one.attempt} value={one.attempt}>
          {answerOf(one)}{' '}
          <span className="faint">
            <Ago at={one.at} />, took {one.duration_ms} ms
          </span>
          {one.response !== null && one.response !== '' && (
            <Text label={`Answer to attempt ${String(one.attempt)}`}>{one.response}</Text>
          )}
        </li>
      ))}
    </ol>
  );
}
