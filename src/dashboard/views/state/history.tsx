// The history of a state: a slider through its versions, and the newest writes with who made them.
import { useQuery } from '@tanstack/react-query';
import { history } from '../../api/queries.js';
import { useClient } from '../../api/use-api.js';
import { Ago, Failed, Loading, Panel } from '../../parts/basics.js';
import { quoted } from '../../parts/quoted.js';
import { Places } from './places.js';

interface HistoryProps {
  readonly id: string;
  readonly version: number;
  readonly at: number | undefined;
  readonly from: number | undefined;
  /** The top-level member whose writes are shown; all writes by default. */
  readonly of: string | undefined;
  readonly go: (search: {
    at?: number | undefined;
    from?: number | undefined;
    key?: string | undefined;
  }) => void;
}

export function History({ id, version, at = version, from, of, go }: HistoryProps) {
  const list = useQuery(history(useClient(), id, version, of));
  const events = list.data?.events.toReversed() ?? [];
  const oldest = events.at(-1)?.version ?? version;
  return (
    <Panel
      title={of === undefined ? 'History' : `History of ${of}`}
      aside={
        of !== undefined && (
          <button type="button" className="quiet" onClick={() => go({ key: undefined })}>
            All writes
          </button>
        )
      }
    >
      {list.isPending && <Loading what="the history" />}
      {list.isError && <Failed error={list.error} retry={() => void list.refetch()} />}
      {oldest < version && (
        <label className="scrub">
          Version {at}
          <input
            type="range"
            min={oldest}
            max={version}
            value={at}
            onChange={({ target }) =>
              go({ at: target.valueAsNumber === version ? undefined : target.valueAsNumber })
            }
          />
        </label>
      )}
      <ol className="history">
        {events.map((event) => (
          <li key={event.event_id} aria-current={event.version === at ? 'true' : undefined}>
            <div className="row">
              <button
                type="button"
                className="quiet"
                onClick={() => go({ at: event.version === version ? undefined : event.version })}
              >
                Version {event.version}
              </button>
              <span className="faint">
                <Ago at={event.created_at} />
              </span>
              <button
                type="button"
                className="quiet end"
                aria-pressed={from === event.version}
                onClick={() => go({ from: from === event.version ? undefined : event.version })}
              >
                Compare
              </button>
            </div>
            <div>
              <bdi>{event.session_id ?? event.token_name ?? 'operator'}</bdi>{' '}
              <span className="faint">
                {event.kind.replaceAll('_', ' ')}
                {event.late ? ', late' : ''}
              </span>
            </div>
            <Places of={event} />
          </li>
        ))}
      </ol>
      {version > events.length && oldest > 1 && (
        <p className="faint">
          Older versions:{' '}
          <code>
            countersign state log {id}
            {of === undefined ? '' : ` --key ${quoted(of)}`}
          </code>
        </p>
      )}
    </Panel>
  );
}
