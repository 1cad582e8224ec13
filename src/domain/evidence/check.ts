// Checks stored records of a history against their hashes and signatures. Every check returns the fault that it
// finds, as words that complete a sentence, or `null`.
import { jsonEqual } from '../json/json.js';
import type {
  CompactionPoint,
  StateEvent,
  StateHead,
  StateSnapshot,
  WorkflowArchive,
} from '../records/state-records.js';
import type { ArchivedByWrite } from '../workflow/archive.js';
import { compactionHash, eventHash, headHash, snapshotHash } from './hashes.js';
import { signedBy, type SigningKeys } from './keys.js';

/** Inputs of the checks. */
export interface Evidence {
  /** `null` if there is no secret: hashes are checked all the same. */
  readonly keys: SigningKeys | null;
  /** Ids of retired keys. Later signatures protect the records that they signed. */
  readonly retired: readonly string[];
}

/** No secret: signatures are not checked. */
export const NO_KEYS: Evidence = { keys: null, retired: [] };

/** Checks a signature that has to be there. */
function checkSignature({ keys, retired }: Evidence, hash: string, signature: string | null): string | null {
  if (keys === null) return null;
  if (signature === null) return 'is not signed';
  const checked = keys.check(hash, signature);
  if (checked === 'holds') return null;
  if (checked === 'differs') return 'has a signature that is not of its content';
  return retired.includes(signedBy(signature)) ? null : 'is signed with a key that is not known';
}

/** Checks the head of a state. A head is always signed with a key that the process has. */
export function checkHead({ keys }: Evidence, head: StateHead): string | null {
  const wrong = keys === null ? null : checkSignature({ keys, retired: [] }, headHash(head), head.signature);
  if (wrong === null) return null;
  return `has a head that ${wrong}: the end of its history was cut, or the head was changed`;
}

/** Checks the content of an event, and that it may follow the one before. */
export function checkEvent(evidence: Evidence, event: StateEvent, unsignedThrough: number): string | null {
  if (eventHash(event) !== event.hash) return 'is not as it was written';
  if (event.version <= unsignedThrough && event.signature === null) return null;
  return checkSignature(evidence, event.hash, event.signature);
}

/** Checks that events follow each other without a gap. @returns The version at which they do not. */
export function checkLinks(events: readonly StateEvent[]): { version: number; wrong: string } | null {
  for (const [index, event] of events.entries()) {
    const before = events[index - 1];
    if (before === undefined) continue;
    const { version } = event;
    if (version !== before.version + 1) return { version: before.version + 1, wrong: 'is missing' };
    if (event.previousHash !== before.hash) return { version, wrong: 'does not follow the event before it' };
  }
  return null;
}

/** Checks a snapshot. Those of earlier releases have no hash. */
export function checkSnapshot(
  evidence: Evidence,
  snapshot: StateSnapshot,
  unsignedThrough: number,
): string | null {
  const { eventHash: of, hash, signature, version } = snapshot;
  if (of === null || hash === null) {
    return evidence.keys === null || version <= unsignedThrough ? null : 'is not signed';
  }
  if (snapshotHash({ ...snapshot, eventHash: of }) !== hash) return 'is not as it was written';
  if (version <= unsignedThrough && signature === null) return null;
  return checkSignature({ keys: evidence.keys, retired: [] }, hash, signature);
}

/** Checks the start of a compacted history. `first` is the oldest event that is kept. */
export function checkCompaction(
  { keys }: Evidence,
  point: CompactionPoint,
  first: StateEvent,
  unsignedThrough: number,
): string | null {
  if (point.oldestVersion !== first.version) return 'names another version than the oldest that is there';
  if (keys === null || (point.signature === null && point.oldestVersion <= unsignedThrough)) return null;
  const { stateId, previousHash } = first;
  const hash = compactionHash({ stateId, oldestVersion: point.oldestVersion, previousHash });
  return checkSignature({ keys, retired: [] }, hash, point.signature);
}

/** Checks an archive of a workflow record against what the history moved to it. */
export function checkArchive(
  head: StateHead,
  archive: WorkflowArchive,
  archived: ArchivedByWrite,
): string | null {
  const isOfState = archive.stateId === head.stateId && archive.rootSessionId === head.rootSessionId;
  const isOfTime = archive.createdAt === Date.parse(archived.compactedAt ?? '');
  return isOfState && isOfTime && jsonEqual(archive.invocations, archived.invocations)
    ? null
    : 'is not what was moved to it';
}
