// Sends a request and reads its reply, with retries. Knows HTTP and problem documents, no single call.
import type { Static, TSchema } from 'typebox';
import { ok, type Result } from '../../domain/errors.js';
import { type JsonValue, parsedJson } from '../../domain/json/json.js';
import { urlOf } from './call-url.js';
import { ConnectionError } from './connection-error.js';
import { createDeadline, type Deadline } from './deadline.js';
import type { Call } from './call.js';
import type { FetchFunction, FetchResponse, ResponseHeaders } from './fetch.js';
import { keysOf } from './keys.js';
import { targetOf, type ClientOptions } from './options.js';
import { checkSendable } from './sendable.js';
import { askedPauseMs, failureOf, tooLargeBefore } from './problem.js';
import { repeat, retryPolicy } from './retry.js';

const TIMEOUT_MS = 30_000;

interface Reply {
  readonly status: number;
  /** `undefined` if there is no body. */
  readonly body: JsonValue | undefined;
  readonly headers: ResponseHeaders;
}

/** A streaming reply. It lasts until its body ends, or until a signal of the client or of the call aborts it. */
export interface OpenReply {
  readonly body: ReadableStream<Uint8Array>;
  /** Releases the connection and the signals. */
  readonly close: () => void;
}

/** Every method throws `ConnectionError` if no reply of the service arrives. */
export interface Transport {
  readonly sendRequest: (call: Call) => Promise<Result<Reply>>;
  /** For calls whose reply is a document. */
  readonly send: <S extends TSchema>(schema: S, call: Call) => Promise<Result<Static<S>>>;
  /** For streaming replies; the time limit ends when the reply begins. */
  readonly open: (call: Call) => Promise<Result<OpenReply>>;
  /** Aborts every request of the client. */
  readonly signal: AbortSignal | undefined;
  /** For calls whose reply has no body. */
  readonly sendForNothing: (call: Call) => Promise<Result<null>>;
}

/** @throws TypeError If the options are invalid. */
export function createTransport(options: ClientOptions): Transport {
  const target = targetOf(options);
  const request: FetchFunction = options.fetch ?? fetch;
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  const policy = retryPolicy(options.retry);
  const keyFor = keysOf(options.idempotencyKey);

  /** Makes the request of a call, and returns what sends it. All that is wrong with the call is thrown here. */
  const prepare = (call: Call & Sent, accept: string) => {
    const url = urlOf(target.base, call);
    const sent = {
      method: call.method,
      headers: { accept, ...contentHeaders(call), ...call.headers, ...target.headers },
      ...(call.body === undefined ? {} : { body: call.text ?? JSON.stringify(call.body) }),
      redirect: 'manual', // identity headers must not reach another host
    } as const;
    return (signal: AbortSignal) => request(url, { ...sent, signal });
  };

  async function open(call: Call): Promise<Result<OpenReply>> {
    const sendable = checkSendable(call);
    if (!sendable.ok) return sendable;
    if (policy === null) return connect(call);
    return repeat(policy, 0, [options.signal, call.signal], () => connect(call));
  }

  async function connect(call: Call): Promise<Result<OpenReply>> {
    const ask = prepare(call, 'text/event-stream');
    const sources = [options.signal, call.signal];
    const deadline = createDeadline(timeoutMs, sources);
    const connection = new AbortController();
    const abort = () => connection.abort();
    const close = () => {
      for (const source of sources) source?.removeEventListener('abort', abort);
      abort();
    };
    deadline.signal.addEventListener('abort', abort);
    if (deadline.signal.aborted) abort();
    try {
      const response = await ask(connection.signal);
      if (!response.ok) {
        const answer = await readReply(target.base, response);
        if (!answer.ok) return answer;
      }
      if (response.body === null || !isEventStream(response)) {
        abort();
        throw foreignReply(target.base, response);
      }
      for (const source of sources) source?.addEventListener('abort', abort, { once: true });
      return ok({ body: response.body, close });
    } catch (error) {
      throw error instanceof ConnectionError ? error : connectionError(target.base, deadline, error);
    } finally {
      deadline.signal.removeEventListener('abort', abort);
      deadline.clear();
    }
  }

  async function sendRequest(call: Call & { readonly ends?: boolean }): Promise<Result<Reply>> {
    const sendable = checkSendable(call);
    if (!sendable.ok) return sendable;
    if (policy === null && options.idempotencyKey === undefined) return attempt(call);
    if (!isKeyed(call, options.idempotencyKey !== undefined)) return sendKeyed(call);
    const { key, end } = keyFor(call);
    let accepted = false;
    try {
      const result = await sendKeyed(withKey(call, key));
      accepted = result.ok;
      return result;
    } finally {
      end(accepted);
    }
  }

  /** @param keyed - A call with its key, if it has one. */
  async function sendKeyed(keyed: Call & Sent & { readonly ends?: boolean }): Promise<Result<Reply>> {
    if (policy === null) return attempt(keyed);
    return repeat(policy, keyed.waitMs ?? 0, [options.signal, keyed.signal], async ({ number, waitMs }) => {
      const isRetry = number > 1;
      const result = await attempt(isRetry ? { ...keyed, waitMs, ...keyed.waiting?.(waitMs) } : keyed);
      return isRetry && keyed.ends === true && isAlreadyDeleted(result) ? ok(NOTHING) : result;
    });
  }

  async function attempt(call: Call & Sent): Promise<Result<Reply>> {
    const ask = prepare(call, 'application/json');
    const deadline = createDeadline(timeoutMs + (call.waitMs ?? 0), [options.signal, call.signal]);
    try {
      return await readReply(target.base, await ask(deadline.signal));
    } catch (error) {
      throw error instanceof ConnectionError ? error : connectionError(target.base, deadline, error);
    } finally {
      deadline.clear();
    }
  }

  return {
    sendRequest,
    open,
    signal: options.signal,
    send: async (schema, call) => {
      const result = await sendRequest(call);
      return result.ok ? ok(parseReply(schema, result.value)) : result;
    },
    sendForNothing: async (call) => {
      const result = await sendRequest({ ...call, ends: true });
      return result.ok ? ok(null) : result;
    },
  };
}

/**
 * Checks only that the required members of the schema exist. A newer service may send more members, and more
 * values in lists that are closed here.
 */
export function parseReply<S extends TSchema>(schema: S, answer: Reply): Static<S> {
  if (isReplyBody(schema, answer.body)) return answer.body;
  throw new ConnectionError(
    'not_understood',
    `The service answered HTTP ${answer.status} with something else than this program expects; are both of the same version?`,
  );
}

function isReplyBody<S extends TSchema>(schema: S, body: unknown): body is Static<S> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false;
  const required: unknown = 'required' in schema ? schema.required : [];
  return Array.isArray(required) && required.every((name: unknown) => Object.hasOwn(body, String(name)));
}

function contentHeaders(call: Call): Record<string, string> {
  return call.body === undefined ? {} : { 'content-type': call.contentType ?? 'application/json' };
}

const NOTHING: Reply = { status: 204, body: undefined, headers: { get: () => null } };

/**
 * An earlier attempt whose reply was lost may have deleted the resource, so a retried deletion accepts "not
 * found".
 */
function isAlreadyDeleted(result: Result<Reply>): boolean {
  return (
    !result.ok && result.failure.error.endsWith('_not_found') && result.failure.error !== 'route_not_found'
  );
}

/**
 * Whether a call has an idempotency key, so that the service executes it once, however often it is sent. A repeated
 * deletion finds nothing and needs no key, unless the call asks for one (`keyed`) or a common key is set.
 */
function isKeyed(call: Call, isCommon: boolean): boolean {
  const harmless = call.method === 'DELETE' && call.keyed !== true && !isCommon;
  return call.method !== 'GET' && call.safe !== true && !harmless;
}

function withKey<C extends Call>(call: C, key: string): C & Sent {
  const headers = { 'idempotency-key': key, ...call.headers };
  return call.body === undefined
    ? { ...call, headers }
    : { ...call, headers, text: JSON.stringify(call.body) };
}

/** The body as serialized when the key was made: the service rejects the same key with another body. */
interface Sent {
  readonly text?: string;
}

/** @throws ConnectionError If the reply does not come from this service. */
async function readReply(base: string, response: FetchResponse): Promise<Result<Reply>> {
  const { status } = response;
  const text = await response.text();
  const body = parsedJson(text);
  if (status >= 200 && status < 300) {
    if (body === undefined && text !== '') throw foreignReply(base, response);
    return ok({ status, body, headers: response.headers });
  }
  const failure = failureOf(status, body, response.headers);
  if (failure !== null) return { ok: false, failure };
  if (status === 413) return { ok: false, failure: tooLargeBefore(base) };
  throw foreignReply(base, response);
}

function isEventStream({ headers }: FetchResponse): boolean {
  return /^\s*text\/event-stream\s*(;|$)/i.test(headers.get('content-type') ?? '');
}

/** What a gateway sends with a body of its own: the caller sends too much, or the service cannot be reached. */
const OF_GATEWAYS: ReadonlySet<number> = new Set([429, 502, 503, 504]);

function foreignReply(base: string, { status, headers }: FetchResponse): ConnectionError {
  if (!OF_GATEWAYS.has(status)) {
    return new ConnectionError(
      'not_understood',
      `What answered HTTP ${status} at ${base} is not Countersign`,
    );
  }
  return new ConnectionError(
    'unreachable',
    `What stands before the service at ${base} answered HTTP ${status}`,
    { retryAfterMs: askedPauseMs(headers) },
  );
}

function connectionError(base: string, deadline: Deadline, error: unknown): unknown {
  if (deadline.expired) {
    return new ConnectionError('timeout', `The service at ${base} did not answer in time`, { cause: error });
  }
  if (deadline.signal.aborted) {
    return new ConnectionError('aborted', 'The request was given up', { cause: error });
  }
  if (!isNetworkError(error)) return error;
  const reason = reasonOf(error.cause ?? error);
  return new ConnectionError('unreachable', `The service at ${base} cannot be reached${reason}`, {
    cause: error,
  });
}

/**
 * True for what `fetch` throws if no response arrives. Its name tells it, because a test environment may have another
 * `TypeError` than its `fetch`. Node.js gives it a `cause`, browsers give it none.
 */
export function isNetworkError(error: unknown): error is Error {
  return typeof error === 'object' && error !== null && 'name' in error && error.name === 'TypeError';
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return '';
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
  return code === '' ? '' : ` (${code})`;
}
