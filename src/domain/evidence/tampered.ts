// The error for a state whose records fail verification, and the checks that throw it.
import { RecordDamagedError, type Damage } from '../damage/damage.js';
import type { StateEvent, StateHead, StateSnapshot } from '../records/records.js';
import { checkEvent, checkHead, checkLinks, checkSnapshot, type Evidence } from './check.js';

/** Inputs of the checks of a store. */
export interface ReportedEvidence extends Evidence {
  /** Called for each record that fails verification. */
  readonly report: (damage: Damage) => void;
}

/**
 * The error for a state that fails verification. Reports it, too.
 *
 * @param version - The version whose record fails verification; `null` for the head.
 */
export function tampered(
  { report }: ReportedEvidence,
  { stateId: id, rootSessionId }: { readonly stateId: string; readonly rootSessionId: string },
  version: number | null,
  what: string,
): RecordDamagedError {
  const damage: Damage = { kind: 'state', id, column: null, what, rootSessionId, tampered: { version } };
  report(damage);
  return new RecordDamagedError(damage);
}

/** Returns the head. @throws RecordDamagedError - It fails verification. */
export function verifiedHead<T extends StateHead>(evidence: ReportedEvidence, head: T): T {
  const wrong = checkHead(evidence, head);
  if (wrong !== null) throw tampered(evidence, head, null, wrong);
  return head;
}

/** Returns consecutive events of a state. @throws RecordDamagedError - One of them fails verification. */
export function verifiedEvents(
  evidence: ReportedEvidence,
  events: readonly StateEvent[],
  unsignedThrough: number,
): readonly StateEvent[] {
  for (const event of events) {
    const wrong = checkEvent(evidence, event, unsignedThrough);
    if (wrong !== null) throw tamperedEvent(evidence, event, event.version, wrong);
  }
  const [first] = events;
  const gap = checkLinks(events);
  if (gap !== null && first !== undefined) throw tamperedEvent(evidence, first, gap.version, gap.wrong);
  return events;
}

/**
 * Checks what a document is rebuilt from: the head, a snapshot, and the events after it.
 *
 * @throws RecordDamagedError - One of them fails verification.
 */
export function requireVerified(
  evidence: ReportedEvidence,
  head: StateHead,
  snapshot: StateSnapshot,
  events: readonly StateEvent[],
): void {
  verifiedHead(evidence, head);
  const wrong = checkSnapshot(evidence, snapshot, head.unsignedThrough);
  const { version, eventHash } = snapshot;
  if (wrong !== null) {
    throw tampered(evidence, head, version, `has a snapshot (version ${String(version)}) that ${wrong}`);
  }
  verifiedEvents(evidence, events, head.unsignedThrough);
  const [first] = events;
  if (first !== undefined && eventHash !== null && first.previousHash !== eventHash) {
    throw tamperedEvent(evidence, first, first.version, 'does not follow its snapshot');
  }
  const last = events.at(-1) ?? { version, hash: eventHash };
  if (last.version === head.version && last.hash !== null && last.hash !== head.lastHash) {
    throw tampered(evidence, head, last.version, 'has a head that is not its newest event');
  }
}

function tamperedEvent(
  evidence: ReportedEvidence,
  event: StateEvent,
  version: number,
  wrong: string,
): RecordDamagedError {
  return tampered(evidence, event, version, `has an event (version ${String(version)}) that ${wrong}`);
}
