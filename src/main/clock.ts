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
function randomCharacters(): Buffer {
  const bytes = randomBytes(POOL_CHARACTERS);
  for (let at = 0; at < bytes.length; at += 1)
    bytes[at] = ALPHABET.charCodeAt((bytes[at] ?? 0) % ALPHABET.length);
  return bytes;
}

/** Ids and secrets from the system's random source. */
export class RandomIds implements IdSource {
  #pool: Buffer = Buffer.alloc(0);
  #drawn = 0;

  newId(prefix: string): string {
    if (this.#drawn + ID_CHARACTERS > this.#pool.length) {
      this.#pool = randomCharacters();
      this.#drawn = 0;
    }
    this.#drawn += ID_CHARACTERS;
    return `${prefix}_${this.#pool.toString('latin1', this.#drawn - ID_CHARACTERS, this.#drawn)}`;
  }

  newSecret(): string {
    return randomBytes(32).toString('hex');
  }
}
