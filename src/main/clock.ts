// Clock and id generator of the real process.
import { randomBytes } from 'node:crypto';
import type { Clock, IdSource } from '../ports/runtime.js';

/** In ascending order, as databases compare texts. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const RANDOM_CHARACTERS = 16;
const TIME_CHARACTERS = 8;
/** With 40 bits, ids are in the order of their times until the year 2109. */
const TIME_UNIT_MS = 4;

/**
 * The wall-clock time at the start of the process plus a monotonic clock. A change of the system time neither
 * expires a lease nor prolongs it.
 */
export const systemClock: Clock = {
  now: () => Math.round(performance.timeOrigin + performance.now()),
  wall: () => Date.now(),
};

/** Random characters are generated in bulk: the system call costs the same for a few bytes as for many. */
const POOL_CHARACTERS = RANDOM_CHARACTERS * 200;
function randomCharacters(): Buffer {
  const bytes = randomBytes(POOL_CHARACTERS);
  for (let at = 0; at < bytes.length; at += 1)
    bytes[at] = ALPHABET.charCodeAt((bytes[at] ?? 0) % ALPHABET.length);
  return bytes;
}

function timeCharacters(ms: number): string {
  let unitsLeft = Math.floor(ms / TIME_UNIT_MS);
  let text = '';
  for (let at = 0; at < TIME_CHARACTERS; at += 1) {
    text = (ALPHABET[unitsLeft % ALPHABET.length] ?? '') + text;
    unitsLeft = Math.floor(unitsLeft / ALPHABET.length);
  }
  return text;
}

/**
 * Ids and secrets from the system's random source. An id begins with its time: rows that are written together lie
 * together in every index, so a commit writes fewer pages, however many rows there are.
 */
export class RandomIds implements IdSource {
  #pool: Buffer = Buffer.alloc(0);
  #drawn = 0;
  #time = '';
  #timeMs = -1;

  constructor(private readonly clock: Pick<Clock, 'now'> = systemClock) {}

  newId(prefix: string): string {
    if (this.#drawn + RANDOM_CHARACTERS > this.#pool.length) {
      this.#pool = randomCharacters();
      this.#drawn = 0;
    }
    this.#drawn += RANDOM_CHARACTERS;
    const random = this.#pool.toString('latin1', this.#drawn - RANDOM_CHARACTERS, this.#drawn);
    return `${prefix}_${this.#timeNow()}${random}`;
  }

  #timeNow(): string {
    const now = this.clock.now();
    if (now !== this.#timeMs) {
      this.#timeMs = now;
      this.#time = timeCharacters(now);
    }
    return this.#time;
  }

  newSecret(): string {
    return randomBytes(32).toString('hex');
  }
}
