// The columns of a table of deliveries, with the attempts of each.
import type { DeliveryView } from '../../../client/index.js';
import { useClient } from '../../api/use-api.js';
import { Action } from '../../parts/actions/action.js';
import { Ago, Countdown, Faint, Status, type Column } from '../../parts/basics.js';
import { Reveal, Text } from '../../parts/facts.js';
import { StateLink } from '../../parts/text/links.js';

export const deliveryColumns = (webhookId: string): readonly Column<DeliveryView>[] => [
  ['Status', (one) => <Status value={one.status} />],
  ['Event', (one) => <EventOf one={one} />],
  ['Made', (one) => <Ago at={one.created_at} />],
  ['Next attempt', ({ next_attempt_at: at }) => (at === null ? <Faint>none</Faint> : <Countdown to={at} />)],
  ['Why', whyOf, 'prose'],
  ['Attempts', ({ attempts }) => (attempts.length === 0 ? <Faint>none</Faint> : <Attempts of={attempts} />)],
  ['What to do', (one) => <Redeliver webhookId={webhookId} one={one} />],
];

interface DeliveryProps {
  readonly one: DeliveryView;
}

function EventOf({ one: { type, state_id, version } }: DeliveryProps) {
  if (state_id === null) return type;
  return (
    <StateLink id={state_id} at={version ?? undefined}>
      {version === null ? type : `${type} ${String(version)}`}
    </StateLink>
  );
}

function whyOf({ reason, attempts }: DeliveryView): string | null {
  const last = attempts.at(-1);
  return reason ?? (last === undefined ? null : answerOf(last));
}

/** Nothing before its end. */
function Redeliver({ webhookId, one }: DeliveryProps & { readonly webhookId: string }) {
  const { webhooks } = useClient();
  if (one.status !== 'dead' && one.status !== 'delivered') return null;
  return (
    <Action
      name="Redeliver"
      right="orchestrate"
      withReason
      effect="The same message is sent to the URL again."
      run={(reason) => webhooks.redeliver(webhookId, one.delivery_id, { reason })}
    />
  );
}

type DeliveryAttempt = DeliveryView['attempts'][number];

function answerOf({ status, error }: DeliveryAttempt): string {
  if (error !== null) return error;
  return status === null ? 'No answer came.' : `It answered ${String(status)}.`;
}

function Attempts({ of }: { readonly of: readonly DeliveryAttempt[] }) {
  return (
    <Reveal name={of.length === 1 ? '1 attempt' : `${String(of.length)} attempts`}>
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
    </Reveal>
  );
}
