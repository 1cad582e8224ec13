// The idempotency keys of a client: one for each call; under a common key, the same for the same calls.
import type { Call } from './call.js';

/** The key of one call. */
export interface CallKey {
  readonly key: string;
  /** Call at its end. A call that was not accepted may be made again, under the same key. */
  readonly end: (accepted: boolean) => void;
}

/**
 * Under a common key, the key of a call depends on its method and path, and on how many calls to these were accepted or
 * are in progress: a client that makes the same changes again, or some of them, gets the same keys.
 */
export function keysOf(common: string | undefined): (call: Pick<Call, 'method' | 'path'>) => CallKey {
  if (common === undefined) return () => ({ key: newKey(), end: () => undefined });
  const places = new Map<string, Turns>();
  return ({ method, path }) => {
    const place = [method, ...path].join('\n');
    const turns = places.get(place) ?? new Turns();
    places.set(place, turns);
    const turn = turns.take();
    const key = `${common}-${shortHash(turn === 1 ? place : `${place}\n${String(turn)}`)}`;
    return { key, end: (accepted) => (accepted ? undefined : turns.giveBack(turn)) };
  };
}

/** Numbers the calls to one place from 1, without gaps. */
class Turns {
  #next = 1;
  #free: number[] = [];

  take(): number {
    const [first, ...others] = this.#free;
    if (first === undefined) return this.#next++;
    this.#free = others;
    return first;
  }

  giveBack(turn: number): void {
    this.#free = [...this.#free, turn].sort((one, other) => one - other);
  }
}

/** 128 random bits in hexadecimal. A page over plain HTTP has no `crypto.randomUUID`. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * 64 bits in hexadecimal, to tell the places of one client apart: browsers hash only asynchronously. Where two places
 * had the same, the service would refuse the second one, because its request is another.
 */
function shortHash(text: string): string {
  let one = 0x811c9dc5;
  let other = 0x9e3779b9;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    one = Math.imul(one ^ code, 0x01000193);
    other = Math.imul(((other << 13) | (other >>> 19)) ^ code, 0x85ebca6b);
  }
  return [one, other].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
}
