// Verifies the histories of a database, state by state and in slices.
import type { Evidence } from '../../domain/evidence/check.js';
import type { FoundSigning } from '../../domain/evidence/signing-record.js';
import type { MaybePromise } from '../../ports/maybe-promise.js';
import type { Reader } from '../../ports/storage/reader.js';
import { checkHistory, type HistorySource, type HistoryWork } from './check-history.js';

/** The histories of a database, to read only. */
export interface Histories extends HistorySource {
  /** The next state in the order of creation. */
  stateAfter(seq: number): MaybePromise<StateNumber | undefined>;
  stateOf(stateId: string): MaybePromise<StateNumber | undefined>;
}

interface StateNumber {
  readonly seq: number;
  readonly stateId: string;
}

/** The checks of `countersign doctor`. */
export type Examination = Pick<Reader, 'doctor' | 'audit'>;

/** A database that is open for verification. A service may work on it. */
export interface VerifiableDatabase {
  signing(): Promise<FoundSigning>;
  histories(evidence: Evidence): Histories;
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
  const add = async ({ seq, stateId: id }: StateNumber): Promise<void> => {
    const checked = await checkHistory(histories, seq, work);
    if (checked === undefined) return;
    total.states += 1;
    total.events += checked.events;
    total.unsigned += checked.unsigned;
    total.isExpected ||= checked.isExpected;
    const [first] = checked.faults;
    if (first === undefined) return;
    total.tamperedStates += 1;
    if (tampered.length < TAMPERED_MAX)
      tampered.push({ stateId: id, version: first.version, what: first.what });
  };
  if (stateId !== null) {
    const state = await histories.stateOf(stateId);
    if (state === undefined) return null;
    await add(state);
    return { ...total, tampered };
  }
  for (let state = await histories.stateAfter(0); state !== undefined;) {
    await add(state);
    state = await histories.stateAfter(state.seq);
  }
  return { ...total, tampered };
}
