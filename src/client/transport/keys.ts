// The idempotency keys of a client: one for each call, or, under a common key, one for each place.
import type { Call } from './call.js';

/**
 * Under a common key, the key of a call depends only on its method and path, however often and in which order the calls
 * are made. A failed call stores no answer, so the next attempt may use its key.
 */
export function keysOf(common: string | undefined): (call: Pick<Call, 'method' | 'path'>) => string {
  if (common === undefined) return newKey;
  return ({ method, path }) => `${common}-${shortHash([method, ...path].join('\n'))}`;
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
