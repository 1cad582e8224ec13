// The history of a state: a slider through all its versions, and the writes with who made them.
import { Panel } from '../../../parts/basics.js';
import { AllWrites } from './all-writes.js';
import type { Go } from './event-item.js';
import { KeyWrites } from '../key-writes.js';

interface HistoryProps {
  readonly id: string;
  readonly version: number;
  /** The version that is shown. */
  readonly at: number;
  readonly from: number | undefined;
  /** The top-level member whose writes are shown; all writes by default. */
  readonly of: string | undefined;
  readonly go: Go;
  /** Called while the slider moves. */
  readonly scrub: (version: number) => void;
}

export function History({ id, version, at, from, of, go, scrub }: HistoryProps) {
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
      {version > 1 && (
        <label className="scrub">
          Version {at} of {version}
          <input
            type="range"
            min={1}
            max={version}
            value={at}
            onChange={({ target }) => scrub(target.valueAsNumber)}
          />
        </label>
      )}
      {of === undefined ? (
        <AllWrites id={id} version={version} at={at} from={from} go={go} />
      ) : (
        <KeyWrites id={id} of={of} version={version} at={at} from={from} go={go} />
      )}
    </Panel>
  );
}
