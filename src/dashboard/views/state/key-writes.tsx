// The writes that changed one top-level member, newest first.
import { useQuery } from '@tanstack/react-query';
import { SEARCHED_VERSIONS, keyHistory } from '../../api/history-queries.js';
import { useClient } from '../../api/use-api.js';
import { Unread } from '../../parts/basics.js';
import { quoted } from '../../parts/text/quoted.js';
import type { AllWritesProps } from './history/all-writes.js';
import { EventItem } from './history/event-item.js';

interface KeyWritesProps extends AllWritesProps {
  /** A top-level member. */
  readonly of: string;
}

export function KeyWrites({ id, of, version, oldest, at, from, go }: KeyWritesProps) {
  const read = useQuery(keyHistory(useClient(), id, version, of));
  if (!read.isSuccess) return <Unread read={read} what="the history" />;
  const events = read.data.toReversed();
  const hasOlder = version - SEARCHED_VERSIONS >= oldest;
  return (
    <>
      {events.length === 0 && <p className="faint">None of these versions changed it.</p>}
      <ol className="history">
        {events.map((event) => (
          <li key={event.event_id} aria-current={event.version === at ? 'true' : undefined}>
            <EventItem event={event} version={version} from={from} go={go} />
          </li>
        ))}
      </ol>
      {hasOlder && (
        <p className="faint">
          Older versions:{' '}
          <code>
            countersign state log {id} --key {quoted(of)}
          </code>
        </p>
      )}
    </>
  );
}
