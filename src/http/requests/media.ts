// Selects the body of a route by content type and reads it.
import { ok, fail, type Result } from '../../domain/errors.js';
import { after, type MaybePromise } from '../../lib/maybe-promise.js';
import { LARGE_BYTES, parseBody, readBody } from './body.js';
import type { RequestContext } from './request-context.js';

/** A parsed body, and the index of its content type in the route's list. */
export interface Body {
  readonly index: number;
  readonly value: unknown;
  readonly raw: Buffer;
}
export type BodyReader = (context: RequestContext) => MaybePromise<Result<Body>>;

interface Accepted {
  readonly contentType: string;
  readonly optional: boolean;
}

const UTF8 = /^(utf-?8|us-ascii)$/;

/** Splits a content type into its lower-case name and its charset. */
function mediaType(header: string): { name: string; charset: string | null } {
  const [name = '', ...parameters] = header.toLowerCase().split(';');
  const charset = parameters
    .map((text) => /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/.exec(text)?.[1])
    .find(Boolean);
  return { name: name.trim(), charset: charset ?? null };
}

/** Creates the reader of a route's bodies. It checks the content type before it waits for anything. */
export function acceptBody(method: string, list: readonly Accepted[]): BodyReader {
  const names = list.map((item) => item.contentType);

  function unsupported(context: RequestContext, what: string) {
    if (method === 'PATCH') context.answerHeader('accept-patch', names.join(', '));
    return fail('unsupported_media_type', `${what}; accepted: ${names.join(', ')}`, { accepted: names });
  }

  function indexOf(header: string): number {
    const exact = names.indexOf(header);
    if (exact >= 0) return exact;
    // With two content types, neither counts.
    if (header.includes(',')) return -1;
    const { name, charset } = mediaType(header);
    return charset !== null && !UTF8.test(charset) ? -1 : names.indexOf(name);
  }

  return (context) => {
    const header = context.header('content-type');
    const index = header === null ? 0 : indexOf(header);
    if (index < 0) return unsupported(context, `The content type is ${header ?? 'absent'}`);
    const coding = context.header('content-encoding');
    if (coding !== null && coding.toLowerCase() !== 'identity') {
      // RFC 9110, section 12.5.3: tells which encoding is accepted.
      context.answerHeader('accept-encoding', 'identity');
      return unsupported(context, 'A body must have no content encoding');
    }
    const { limits, slices, readBudget } = context.server;
    const read = after(readBody(context.inbound, limits.bodyBytesMax, readBudget), (bytes) => {
      // Many large bodies may arrive at the same time.
      const pause = bytes.ok && bytes.value.length > LARGE_BYTES ? slices.yieldIfDue() : undefined;
      return pause === undefined ? bytes : pause.then(() => bytes);
    });
    return after(read, (bytes) => {
      if (!bytes.ok) return bytes;
      const { value: raw } = bytes;
      if (raw.length === 0 && list[index]?.optional === true) return ok({ index, value: {}, raw });
      if (raw.length > 0 && header === null) return unsupported(context, 'The body has no content type');
      const value = parseBody(raw, limits);
      return value.ok ? ok({ index, value: value.value, raw }) : value;
    });
  };
}
