// Verifies the histories of a database, state by state and in slices.
import type { Evidence } from '../../domain/evidence/check.js';
import type { FoundSigning } from '../../domain/evidence/signing-record.js';
import type { Finding } from '../../ports/storage/audit.js';
import type { MaybePromise } from '../../lib/maybe-promise.js';
import type { Reader } from '../../ports/storage/reader.js';
import { isRowNumber } from '../row-numbers.js';
import { checkHistory, type HistorySource, type HistoryWork } from './check-history.js';

/** The histories of a database, to read only. */
export interface Histories extends HistorySource {
  /** The next state in the order of creation. */
  stateAfter(seq: number): MaybePromise<StateNumber | undefined>;
  stateOf(stateId: string): MaybePromise<StateNumber | undefined>;
  /** The states whose numbers were edited to such that `stateAfter` does not reach. */
  statesOutOfReach(): MaybePromise<readonly StateNumber[]>;
  /** The ids of states whose row was removed, although other records need it. */
  removedStates(): MaybePromise<readonly string[]>;
}

/** For `removedStates`: a state that its tree has, or that has events. The id of one that no tree has is not known. */
export const REMOVED_STATES = `
  select t.state_id as id from trees t where t.state_id is not null and not exists (
    select 1 from workflow_states s where s.state_id = t.state_id or s.root_session_id = t.root_session_id)
  union select coalesce(t.state_id, '(number ' || e.state_key || ')') as id
    from state_events e left join trees t on t.root_session_id = e.root_session_id
    where e.event_id <> '' and not exists (select 1 from workflow_states s where s.seq = e.state_key)
  order by 1`;

interface StateNumber {
  readonly seq: number;
  readonly stateId: string;
}

/** The checks of `countersign doctor`. */
type Examination = Pick<Reader, 'doctor' | 'audit'>;

/** A database that is open for verification. A service may work on it. */
export interface VerifiableDatabase {
  signing(): Promise<FoundSigning>;
  histories(evidence: Evidence): Histories;
  /** What is wrong with the database itself, and not with its rows; at most so many findings. */
  soundness(findingsMax: number): Promise<readonly Finding[]>;
  /** Examines it. The evidence is for its histories. */
  examination(evidence: Evidence): Examination;
  close(): Promise<void>;
}

/** A record that fails verification. */
interface TamperedRecord {
  readonly stateId: string;
  /** `null` for the head. */
  readonly version: number | null;
  /** A clause without its full stop. */
  readonly what: string;
}

/** The result of the verification of the histories. */
interface VerifiedHistories {
  readonly states: number;
  readonly events: number;
  /** Events without a signature. */
  readonly unsigned: number;
  /** The first record of each state that fails verification, in the order of creation; a bounded number. */
  readonly tampered: readonly TamperedRecord[];
  readonly tamperedStates: number;
  /** True if the event whose hash was expected is there. */
  readonly isExpected: boolean;
}

/** Most records that are named. */
const TAMPERED_MAX = 100;

const NO_NUMBER = 'the row of the state has a number that the service never gives';
const REMOVED = 'the row of the state was removed, although its tree or its events are there';

/**
 * @param stateId - Only this state; `null` for all.
 * @returns `null` if there is no such state.
 */
export async function verifyHistories(
  histories: Histories,
  stateId: string | null,
  work: HistoryWork,
): Promise<VerifiedHistories | null> {
  const total = { states: 0, events: 0, unsigned: 0, tamperedStates: 0, isExpected: false };
  const tampered: TamperedRecord[] = [];
  const refuse = (record: TamperedRecord): void => {
    total.tamperedStates += 1;
    if (tampered.length < TAMPERED_MAX) tampered.push(record);
  };
  const add = async ({ seq, stateId: id }: StateNumber): Promise<void> => {
    if (!isRowNumber(seq)) {
      total.states += 1;
      refuse({ stateId: id, version: null, what: NO_NUMBER });
      return;
    }
    const checked = await checkHistory(histories, seq, work);
    if (checked === undefined) return;
    total.states += 1;
    total.events += checked.events;
    total.unsigned += checked.unsigned;
    total.isExpected ||= checked.isExpected;
    const [first] = checked.faults;
    if (first !== undefined) refuse({ stateId: id, version: first.version, what: first.what });
  };
  const addRemoved = (id: string): void => {
    total.states += 1;
    refuse({ stateId: id, version: null, what: REMOVED });
  };
  if (stateId !== null) {
    const state = await histories.stateOf(stateId);
    if (state !== undefined) await add(state);
    else if ((await histories.removedStates()).includes(stateId)) addRemoved(stateId);
    else return null;
    return { ...total, tampered };
  }
  for (let state = await histories.stateAfter(0); state !== undefined && isRowNumber(state.seq);) {
    await add(state);
    state = await histories.stateAfter(state.seq);
  }
  for (const state of await histories.statesOutOfReach()) await add(state);
  for (const id of await histories.removedStates()) addRemoved(id);
  return { ...total, tampered };
}
