// Clock and id generator of the real process.
import { randomBytes } from 'node:crypto';
import type { Clock, IdSource } from '../ports/runtime.js';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const ID_CHARACTERS = 20;

/**
 * The wall-clock time at the start of the process plus a monotonic clock. A change of the system time neither
 * expires a lease nor prolongs it.
 */
export const systemClock: Clock = {
  now: () => Math.round(performance.timeOrigin + performance.now()),
  wall: () => Date.now(),
};

/** Random characters are generated in bulk: the system call costs the same for a few bytes as for many. */
const POOL_CHARACTERS = ID_CHARACTERS * 200;
let pool: Buffer = Buffer.alloc(0);
let drawn = 0;

function randomCharacters(): Buffer {
  const bytes = randomBytes(POOL_CHARACTERS);
  for (let at = 0; at < bytes.length; at += 1)
    bytes[at] = ALPHABET.charCodeAt((bytes[at] ?? 0) % ALPHABET.length);
  return bytes;
}

export const randomIds: IdSource = {
  newId(prefix) {
    if (drawn + ID_CHARACTERS > pool.length) {
      pool = randomCharacters();
      drawn = 0;
    }
    drawn += ID_CHARACTERS;
    return `${prefix}_${pool.toString('latin1', drawn - ID_CHARACTERS, drawn)}`;
  },
  newSecret: () => randomBytes(32).toString('hex'),
};
