// The history of a state: a slider through the versions that are kept, and the writes with who made them.
import { useQuery } from '@tanstack/react-query';
import { oldestKept } from '../../../api/history-queries.js';
import { useClient } from '../../../api/use-api.js';
import { Panel, Unread } from '../../../parts/basics.js';
import { nameInShort } from '../../../parts/value.js';
import { AllWrites, type AllWritesProps } from './all-writes.js';
import { KeyWrites } from '../key-writes.js';

/** The version of `at` is shown. */
interface HistoryProps extends Omit<AllWritesProps, 'oldest'> {
  /** The top-level member whose writes are shown; all writes by default. */
  readonly of: string | undefined;
  /** Called while the slider moves. */
  readonly scrub: (version: number) => void;
}

export function History(props: HistoryProps) {
  const { id, of, go } = props;
  const read = useQuery(oldestKept(useClient(), id));
  return (
    <Panel
      title={of === undefined ? 'History' : `History of ${nameInShort(of)}`}
      aside={
        of !== undefined && (
          <button type="button" className="quiet" onClick={() => go({ key: undefined })}>
            All writes
          </button>
        )
      }
    >
      {!read.isSuccess && <Unread read={read} what="the history" />}
      {read.data !== undefined && <HistoryOfState {...props} oldest={read.data} />}
    </Panel>
  );
}

/** @param props - `oldest` is the oldest version that is kept. */
function HistoryOfState({ of, scrub, ...writes }: HistoryProps & { readonly oldest: number }) {
  const { version, oldest, at } = writes;
  return (
    <>
      {version > oldest && (
        <label className="scrub">
          Version {at} of {version}
          <input
            type="range"
            min={oldest}
            max={version}
            value={at}
            onChange={({ target }) => scrub(target.valueAsNumber)}
          />
        </label>
      )}
      {of === undefined ? <AllWrites {...writes} /> : <KeyWrites {...writes} of={of} />}
    </>
  );
}
