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

export const randomIds: IdSource = {
  newId(prefix) {
    const bytes = randomBytes(ID_CHARACTERS);
    let id = `${prefix}_`;
    for (const byte of bytes) id += ALPHABET.charAt(byte % 32);
    return id;
  },
  newSecret: () => randomBytes(32).toString('hex'),
};
