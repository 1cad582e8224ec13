// Every write of a state, newest first. Only what is in view is asked for and is in the page.
import { useQueries } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import { HISTORY_CHUNK, historyChunk } from '../../../api/history-queries.js';
import { useClient } from '../../../api/use-api.js';
import { Failed } from '../../../parts/basics.js';
import { EventItem, type Go } from './event-item.js';

const ITEM_PX = 92;

export interface AllWritesProps {
  readonly id: string;
  readonly version: number;
  /** The oldest version that is kept. */
  readonly oldest: number;
  readonly at: number;
  readonly from: number | undefined;
  readonly go: Go;
}

export function AllWrites({ id, version, oldest, at, from, go }: AllWritesProps) {
  const client = useClient();
  const frame = useRef<HTMLDivElement>(null);
  const count = version - oldest + 1;
  const rows = useVirtualizer({
    count,
    getScrollElement: () => frame.current,
    estimateSize: () => ITEM_PX,
    // Keyed by version: a further write moves the others down.
    getItemKey: (index) => version - index,
    overscan: 6,
  });
  const shown = rows.getVirtualItems();
  const chunks = [...new Set(shown.map(({ index }) => chunkOf(version - index)))];
  const reads = useQueries({
    queries: chunks.map((chunk) => historyChunk(client, id, chunk, { oldest, version })),
  });
  const events = new Map(
    reads.flatMap(({ data }) => data ?? []).map((event) => [event.version, event] as const),
  );
  const error = reads.find((read) => read.error !== null)?.error;
  // A further write alone does not move the view.
  const selected = at === version ? 'newest' : at;
  const isRead = events.has(at) && !reads.some((read) => read.isPending);
  const isReached = useRef(false);
  useEffect(() => {
    isReached.current = false;
  }, [selected]);
  useEffect(() => {
    if (isReached.current) return;
    rows.scrollToIndex(version - at, { align: 'auto' });
    // Until all that is in view is read, its heights still change, and so where the version is.
    isReached.current = isRead;
  }, [rows, selected, isRead]);
  const leave = () => {
    isReached.current = true;
  };
  return (
    <>
      {error != null && <Failed error={error} />}
      {oldest > 1 && <p className="faint">Versions before {oldest} are not kept any more.</p>}
      <div className="history" ref={frame} onWheel={leave} onPointerDown={leave} onKeyDown={leave}>
        <ol style={{ height: rows.getTotalSize() }}>
          {shown.map(({ index, start, key }) => {
            const event = events.get(version - index);
            return (
              <li
                key={String(key)}
                data-index={index}
                ref={rows.measureElement}
                aria-current={version - index === at ? 'true' : undefined}
                aria-setsize={count}
                aria-posinset={index + 1}
                style={{ transform: `translateY(${String(start)}px)` }}
              >
                {event === undefined ? (
                  <span className="faint">Version {version - index}…</span>
                ) : (
                  <EventItem event={event} version={version} from={from} go={go} />
                )}
              </li>
            );
          })}
        </ol>
      </div>
    </>
  );
}

function chunkOf(version: number): number {
  return Math.floor((version - 1) / HISTORY_CHUNK);
}
