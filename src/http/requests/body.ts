// Reads a request's body: bounded, UTF-8, valid JSON, of a safe shape.
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { ok, fail, type Result } from '../../domain/errors.js';
import type { JsonValue } from '../../domain/json/json.js';
import type { Limits } from '../../domain/limits.js';
import { withoutByteOrderMark } from '../../domain/text.js';
import type { MaybePromise } from '../../lib/maybe-promise.js';
import type { Inbound } from './inbound.js';
import { brokenAt, notJson, parseJson } from './parse-json.js';
import type { ReadBudget } from '../read-budget.js';
import { scanJson } from './scan-json.js';
import { bodyDepthMax, checkShape, tooDeep } from './validation/shape.js';

/** Above this size, a body is scanned before parsing, and parsed in a time slice of its own. */
export const LARGE_BYTES = 64 * 1024;

/** The client disconnected before the body was complete, so no answer can be sent. */
export class CallerGoneError extends Error {
  override readonly name = 'CallerGoneError';
}

function tooLarge(maximum: number, actual: number) {
  return fail('payload_too_large', `A body may have ${maximum} bytes`, {
    limit: 'bodyBytesMax',
    maximum,
    actual,
  });
}

/**
 * Reads a body from a socket, directly from Node's message, which costs less than a web stream.
 *
 * @param length - The announced length; 0 if there is none.
 * @returns Synchronously if the whole body arrived with the head.
 */
function readMessage(
  message: IncomingMessage,
  length: number,
  maximum: number,
  budget: ReadBudget,
): MaybePromise<Result<Buffer>> {
  const first = length > 0 ? (message.read() as Buffer | null) : null; // Node: bytes, as no encoding is set
  if (first?.length === length) {
    // Lets the message end.
    message.resume();
    return ok(first);
  }
  return new Promise((resolve, reject) => {
    const chunks = first === null ? [] : [first];
    let bytes = first?.length ?? 0;
    const readOn = () => message.resume();
    const onData = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maximum) {
        chunks.push(chunk);
        if (!budget.spend(chunk.length, readOn)) message.pause();
        return;
      }
      // The rest of a body that is too large waits until the answer is sent. The server then discards it.
      message.off('data', onData).off('end', onEnd).pause();
      chunks.length = 0;
      resolve(tooLarge(maximum, bytes));
    };
    const onEnd = () => resolve(ok(Buffer.concat(chunks, bytes)));
    // These listeners stay: the message ends with the answer, and settling twice has no effect.
    const onGone = () => {
      if (!message.readableEnded) reject(new CallerGoneError('The body ended too early'));
    };
    if (message.destroyed) {
      onGone();
      return;
    }
    message.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
  });
}

/** Reads a body in process, from the request's stream. */
async function readStream(stream: ReadableStream<Uint8Array>, maximum: number): Promise<Result<Buffer>> {
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return ok(Buffer.concat(chunks, bytes));
    bytes += value.byteLength;
    if (bytes > maximum) {
      void reader.cancel().catch(() => undefined);
      return tooLarge(maximum, bytes);
    }
    chunks.push(value);
  }
}

/**
 * Reads the body up to `maximum` bytes. A longer one is not read to its end: with an announced length it is not
 * read at all, with chunks it is read up to the bound.
 *
 * @returns The bytes; or `payload_too_large`.
 * @throws {@link CallerGoneError}
 */
export function readBody(
  inbound: Inbound,
  maximum: number,
  budget: ReadBudget,
): MaybePromise<Result<Buffer>> {
  const length = Number(inbound.header('content-length') ?? 0);
  if (length > maximum) return tooLarge(maximum, length);
  if (inbound.message !== undefined) return readMessage(inbound.message, length, maximum, budget);
  const stream = inbound.stream();
  return stream === null ? ok(Buffer.alloc(0)) : readStream(stream, maximum);
}

/**
 * Parses the bytes as JSON.
 *
 * @returns The value; or `invalid_json` with `position`, `line` and `column`, `limit_exceeded`, `invalid_request`.
 */
export function parseBody(bytes: Buffer, limits: Limits): Result<JsonValue> {
  if (bytes.length === 0) return notJson('The body', 'is empty', 'a JSON text');
  if (!isUtf8(bytes)) return notJson('The body', 'is not UTF-8', 'a JSON text in UTF-8');
  const text = withoutByteOrderMark(bytes.toString('utf8'));
  const failure = bytes.length > LARGE_BYTES ? failureOfLarge(text, limits) : null;
  if (failure !== null) return failure;
  const value = parseJson('The body', text);
  return value.ok ? checkShape(value.value, limits.documentDepthMax) : value;
}

/** Detects excessive depth or size before the parser creates values, which takes twenty times as long. */
function failureOfLarge(text: string, limits: Limits) {
  const scan = scanJson(text, bodyDepthMax(limits.documentDepthMax));
  if (scan.found === 'fault') return brokenAt('The body', scan.fault);
  if (scan.found === 'depth') return tooDeep(limits.documentDepthMax);
  if (scan.values <= limits.bodyValuesMax) return null;
  return fail('limit_exceeded', 'The body holds too many values', {
    limit: 'bodyValuesMax',
    maximum: limits.bodyValuesMax,
    actual: scan.values,
  });
}
