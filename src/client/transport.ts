// One request and its answer. Knows HTTP and problem documents, nothing of any single call; never retries.
import type { Static, TSchema } from 'typebox';
import { accepted, refused, type Outcome } from '../domain/errors.js';
import type { JsonValue } from '../domain/json.js';
import { ConnectionError } from './connection-error.js';
import { createDeadline, type Deadline } from './deadline.js';
import { targetOf, type ClientOptions } from './options.js';
import { refusalOf } from './problem.js';

const TIMEOUT_MS = 30_000;

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Segments, not yet encoded. */
  readonly path: readonly string[];
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** `application/json` by default. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the call asks the service to wait, milliseconds: it is added to the time-out. */
  readonly waitMs?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Answer {
  readonly status: number;
  /** `undefined` where there is no body. */
  readonly body: JsonValue | undefined;
}

/** An answer that goes on until its body ends, or the signals of the client or the call abort it. */
export interface OpenAnswer {
  readonly body: ReadableStream<Uint8Array>;
  /** Lets go of the connection and of the signals. */
  readonly close: () => void;
}

/** Every method throws `ConnectionError` where no answer of the service came back. */
export interface Transport {
  readonly exchange: (call: Call) => Promise<Outcome<Answer>>;
  /** For a call that is answered with a document. */
  readonly send: <S extends TSchema>(schema: S, call: Call) => Promise<Outcome<Static<S>>>;
  /** For an answer that goes on; the time-out holds until it begins. */
  readonly open: (call: Call) => Promise<Outcome<OpenAnswer>>;
  /** For a call that is answered with nothing. */
  readonly sendForNothing: (call: Call) => Promise<Outcome<null>>;
}

/** @throws TypeError Where the options cannot be used. */
export function createTransport(options: ClientOptions): Transport {
  const target = targetOf(options);
  const request = options.fetch ?? fetch;
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;

  const ask = (call: Call, accept: string, signal: AbortSignal) =>
    request(urlOf(target.base, call), {
      method: call.method,
      headers: { accept, ...contentHeaders(call), ...call.headers, ...target.headers },
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
      redirect: 'error', // headers say who is asking; they go to no other place
      signal,
    });

  async function open(call: Call): Promise<Outcome<OpenAnswer>> {
    const step = call.path.find(isStep);
    if (step !== undefined) return noPath(step);
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
      const response = await ask(call, 'text/event-stream', connection.signal);
      if (!response.ok || response.body === null) {
        const answer = read(target.base, response.status, await response.text());
        if (!answer.ok) return answer;
        throw stranger(target.base, response.status);
      }
      for (const source of sources) source?.addEventListener('abort', abort, { once: true });
      return accepted({ body: response.body, close });
    } catch (error) {
      throw error instanceof ConnectionError ? error : connectionError(target.base, deadline, error);
    } finally {
      deadline.signal.removeEventListener('abort', abort);
      deadline.clear();
    }
  }

  async function exchange(call: Call): Promise<Outcome<Answer>> {
    const step = call.path.find(isStep);
    if (step !== undefined) return noPath(step);
    const deadline = createDeadline(timeoutMs + (call.waitMs ?? 0), [options.signal, call.signal]);
    try {
      const response = await ask(call, 'application/json', deadline.signal);
      return read(target.base, response.status, await response.text());
    } catch (error) {
      throw error instanceof ConnectionError ? error : connectionError(target.base, deadline, error);
    } finally {
      deadline.clear();
    }
  }

  return {
    exchange,
    open,
    send: async (schema, call) => {
      const outcome = await exchange(call);
      return outcome.ok ? accepted(parseAnswer(schema, outcome.value)) : outcome;
    },
    sendForNothing: async (call) => {
      const outcome = await exchange(call);
      return outcome.ok ? accepted(null) : outcome;
    },
  };
}

/**
 * Takes an answer for what its schema says it is. Only the members that must be there are looked for: a service newer
 * than this program may answer with more members, and with more values in what is a closed list here.
 */
export function parseAnswer<S extends TSchema>(schema: S, answer: Answer): Static<S> {
  if (isAnswer(schema, answer.body)) return answer.body;
  throw new ConnectionError(
    'not_understood',
    `The service answered HTTP ${answer.status} with something else than this program expects; are both of the same version?`,
  );
}

function isAnswer<S extends TSchema>(schema: S, body: unknown): body is Static<S> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false;
  const required: unknown = 'required' in schema ? schema.required : [];
  return Array.isArray(required) && required.every((name: unknown) => Object.hasOwn(body, String(name)));
}

function urlOf(base: string, call: Call): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(call.query ?? {})) {
    if (value !== undefined) query.set(name, String(value));
  }
  const path = call.path.map((segment) => `/${encodeURIComponent(segment)}`).join('');
  return query.size === 0 ? base + path : `${base}${path}?${query.toString()}`;
}

function noPath(step: string) {
  return refused('invalid_request', `No path can carry this as a name: '${step}'`);
}

/** Dots alone would be taken for a step in the path, even when they are percent-encoded. */
function isStep(segment: string): boolean {
  return segment === '' || segment === '.' || segment === '..' || /\p{Surrogate}/u.test(segment);
}

function contentHeaders(call: Call): Record<string, string> {
  return call.body === undefined ? {} : { 'content-type': call.contentType ?? 'application/json' };
}

/** @throws ConnectionError Where the answer does not come from this service. */
function read(base: string, status: number, text: string): Outcome<Answer> {
  const body = parse(text);
  if (status >= 200 && status < 300) {
    if (body === undefined && text !== '') throw stranger(base, status);
    return accepted({ status, body });
  }
  const refusal = refusalOf(status, body);
  if (refusal === null) throw stranger(base, status);
  return { ok: false, refusal };
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** A gateway that has lost the service says 502 to 504 in words of its own. */
function stranger(base: string, status: number): ConnectionError {
  return status >= 502 && status <= 504
    ? new ConnectionError('unreachable', `What stands before the service at ${base} answered HTTP ${status}`)
    : new ConnectionError('not_understood', `What answered HTTP ${status} at ${base} is not Countersign`);
}

function connectionError(base: string, deadline: Deadline, error: unknown): unknown {
  if (deadline.expired) {
    return new ConnectionError('timeout', `The service at ${base} did not answer in time`, { cause: error });
  }
  if (deadline.signal.aborted) {
    return new ConnectionError('aborted', 'The request was given up', { cause: error });
  }
  // fetch throws a TypeError for whatever is wrong with the connection; the reason is its cause.
  if (!(error instanceof TypeError) || error.cause === undefined) return error;
  return new ConnectionError(
    'unreachable',
    `The service at ${base} cannot be reached${reasonOf(error.cause)}`,
    {
      cause: error,
    },
  );
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return '';
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
  return code === '' ? '' : ` (${code})`;
}
