// One write in the history of a state: which version, who made it, and what it changed.
import type { EventView } from '../../../../client/index.js';
import { Ago } from '../../../parts/basics.js';
import { Writer } from '../../../parts/text/names.js';
import { ChangedLocations } from '../changed-locations.js';

/** What the history changes in the address. */
export type Go = (search: {
  at?: number | undefined;
  from?: number | undefined;
  key?: string | undefined;
}) => void;

interface EventItemProps {
  readonly event: EventView;
  /** The present version. */
  readonly version: number;
  readonly from: number | undefined;
  readonly go: Go;
}

export function EventItem({ event, version, from, go }: EventItemProps) {
  return (
    <>
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
        <Writer session={event.session_id} token={event.token_name} />{' '}
        <span className="faint">
          {event.kind.replaceAll('_', ' ')}
          {event.late ? ', late' : ''}
        </span>
      </div>
      <ChangedLocations of={event} />
    </>
  );
}
