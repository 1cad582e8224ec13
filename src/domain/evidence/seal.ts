// Gives new records of a history their hashes, and their signatures where there is a key.
import type { StateEvent, StateHead, StateSnapshot } from '../records/records.js';
import { eventHash, headHash, snapshotHash } from './hashes.js';
import type { SigningKeys } from './keys.js';

type Writable<T> = { -readonly [member in keyof T]: T[member] };

/** An event with its hash and signature. */
export function seal(keys: SigningKeys | null, event: Omit<StateEvent, 'hash' | 'signature'>): StateEvent {
  const hash = eventHash(event);
  return Object.assign(event, { hash, signature: keys?.sign(hash) ?? null });
}

/** The snapshot of the version that an event made. */
export function sealedSnapshot(keys: SigningKeys | null, event: StateEvent, text: string): StateSnapshot {
  const { stateId, rootSessionId, version } = event;
  const snapshot = { stateId, rootSessionId, version, text, eventHash: event.hash };
  const hash = snapshotHash(snapshot);
  return { ...snapshot, hash, signature: keys?.sign(hash) ?? null };
}

/** Signs a head as it stands, in place: its hash is not kept. */
export function sealedHead(keys: SigningKeys | null, head: Writable<StateHead>): StateHead {
  head.signature = keys?.sign(headHash(head)) ?? null;
  return head;
}
