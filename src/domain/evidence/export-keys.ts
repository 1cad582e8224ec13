// The keys of an export. It has no record of the keys that signed before, and no signed head, so a valid signature of a
// known key protects the events before it, whichever keys have signed those.
import type { StateEvent } from '../records/records.js';
import { isKeyId, signedBy, type SigningKeys } from './keys.js';

/** The ids of the keys that have signed events. What looks like no id is left out. */
export function keyIdsOf(events: readonly StateEvent[]): readonly string[] {
  const ids = events.flatMap(({ signature }) => (signature === null ? [] : [signedBy(signature)]));
  return [...new Set(ids)].filter(isKeyId);
}

/**
 * The first signed event that no later signature of a known key protects; `undefined` if there is none. Whoever has not
 * the secret can sign with a key of their own, but only after the last event with a valid signature: what comes before is
 * in the hash of that event.
 *
 * @param events - Of one chain, checked: each follows the one before, and signatures of known keys are valid.
 */
export function firstUnprotected(keys: SigningKeys, events: readonly StateEvent[]): StateEvent | undefined {
  const isKnown = ({ signature }: StateEvent) => signature !== null && keys.ids.includes(signedBy(signature));
  return events.slice(events.findLastIndex(isKnown) + 1).find(({ signature }) => signature !== null);
}
