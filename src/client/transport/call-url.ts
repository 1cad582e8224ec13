// Builds the URL of a call. Knows nothing else of the request.
import { fail } from '../../domain/errors.js';
import { hasLoneSurrogate } from '../../domain/text.js';
import type { Call } from './call.js';

export function urlOf(base: string, call: Pick<Call, 'path' | 'query'>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(call.query ?? {})) {
    if (value !== undefined) query.set(name, String(value));
  }
  const path = call.path.map((segment) => `/${encodeURIComponent(segment)}`).join('');
  return query.size === 0 ? base + path : `${base}${path}?${query.toString()}`;
}

/** The failure for a segment that no URL path can carry. */
export function unsendableSegment(step: string) {
  return fail('invalid_request', `No path can carry this as a name: '${step}'`);
}

/**
 * True if a URL path cannot carry the segment: empty, a lone surrogate, or dots, which URL parsing treats as
 * a relative step even when percent-encoded.
 */
export function isUnsendable(segment: string): boolean {
  return segment === '' || segment === '.' || segment === '..' || hasLoneSurrogate(segment);
}
