// Time and ids of the real process.
import { randomBytes } from 'node:crypto';
import type { Clock, IdSource } from '../ports/runtime.js';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const ID_CHARACTERS = 20;

/**
 * Wall-clock time at the start, moved on by a clock that cannot jump: a change of the machine's time neither expires a
 * lease nor keeps one forever.
 */
export const systemClock: Clock = {
  now: () => Math.round(performance.timeOrigin + performance.now()),
};

/** Random bytes are drawn many at a time: asking the system for a few costs as much as for many. */
const POOL_BYTES = ID_CHARACTERS * 200;
let pool = Buffer.alloc(0);
let drawn = 0;

export const randomIds: IdSource = {
  newId(prefix) {
    if (drawn + ID_CHARACTERS > pool.length) {
      pool = randomBytes(POOL_BYTES);
      drawn = 0;
    }
    let id = `${prefix}_`;
    for (const byte of pool.subarray(drawn, drawn + ID_CHARACTERS)) id += ALPHABET.charAt(byte % 32);
    drawn += ID_CHARACTERS;
    return id;
  },
  newSecret: () => randomBytes(32).toString('hex'),
};
