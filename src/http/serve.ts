// Handles one request from its arrival to its answer: guard, route, failure, metrics, log.
import type { Context } from 'hono';
import { damagedRefusal, RecordDamagedError } from '../domain/damage/damage.js';
import { invalidMember, refused, type Outcome } from '../domain/errors.js';
import type { MaybePromise } from '../ports/maybe-promise.js';
import { BadCursorError, storageRefusal } from '../ports/store.js';
import { EXPOSED_HEADERS, ON_EVERY_ANSWER } from './replies/answer-headers.js';
import { CallerGoneError } from './requests/body.js';
import { closedGate } from './routes/shared/closed-gate.js';
import type { ServerContext } from './server-context.js';
import type { StreamBody } from './replies/event-stream.js';
import { RequestContext } from './requests/request-context.js';
import { FetchInbound, type HttpEnv } from './requests/fetch-inbound.js';
import type { Inbound } from './requests/inbound.js';
import type { CountRequest } from './metrics.js';
import { isOfCondition } from './preconditions.js';
import { problemReply } from './replies/problem.js';
import type { Reply } from './replies/reply.js';
import type { Bound } from './route.js';
import { readableOf } from './replies/send-stream.js';

const EXPOSED = EXPOSED_HEADERS.join(', ');

export interface Target {
  /** The route's path as defined, for the log. */
  readonly name: string;
  readonly bound: Bound;
  /** True if a request for it may change something. */
  readonly changes: boolean;
  /** Answered under any load, for probes. */
  readonly urgent: boolean;
  readonly count: CountRequest;
}

/** Converts a thrown error to a failure. The caller gets only names, never the message of a bug. */
function thrown(error: unknown, context: RequestContext): Outcome<Reply> {
  const { logger } = context.server;
  const { requestId: request_id, method, path } = context;
  if (error instanceof BadCursorError) {
    return invalidMember(
      '/query/cursor',
      'is not a cursor of this list',
      'next_cursor of an answer of this list',
    );
  }
  if (error instanceof CallerGoneError) return refused('invalid_json', 'The body ended too early');
  const refusal = storageRefusal(error);
  if (refusal !== null) {
    logger.error({ request_id, method, path, err: error }, 'the database cannot be used');
    return { ok: false, refusal };
  }
  if (error instanceof RecordDamagedError) return damagedRefusal(error.damage);
  logger.error({ request_id, method, path, err: error }, 'request failed');
  return refused('internal', 'The service failed; its log has more under the request id');
}

function outcomeOf(target: Target, context: RequestContext): MaybePromise<Outcome<Reply>> {
  const { guard } = context.server;
  const origin = context.header('origin');
  try {
    const header = target.changes ? (name: string) => context.header(name) : null;
    const refusal = guard.check(context.inbound.host, origin, header);
    if (refusal !== null) return { ok: false, refusal };
    if (origin !== null && guard.isListed(origin)) {
      context.answerHeader('access-control-allow-origin', origin);
      context.answerHeader('access-control-expose-headers', EXPOSED);
    }
    return target.bound(context);
  } catch (error) {
    return thrown(error, context);
  }
}

/** Logs 5xx as errors, except answers of probes; all else only in verbose mode. */
function logAnswer(
  context: RequestContext,
  target: Target,
  outcome: Outcome<Reply>,
  status: number,
  ms: number,
): void {
  const { logger } = context.server;
  const failed = status >= 500 && !outcome.ok;
  if (!failed && !logger.verbose) return;
  const fields = {
    request_id: context.requestId,
    method: context.method,
    path: context.path,
    route: target.name,
    status,
    duration_ms: ms,
    ...(outcome.ok ? undefined : { error: outcome.refusal.error }),
  };
  if (failed) logger.error(fields, 'request');
  else logger.debug(fields, 'request');
}

/** An answer in its final form. */
export interface Answer {
  readonly status: number;
  readonly text: string | null;
  /** The length of the text in UTF-8, if known. */
  readonly bytes: number | undefined;
  readonly stream: StreamBody | undefined;
  /** Names and values alternately. The adapter may append. */
  readonly headers: string[];
}

function answerOf(
  target: Target,
  context: RequestContext,
  outcome: Outcome<Reply>,
  startedAt: number,
): Answer {
  const { server, requestId } = context;
  const reply: Reply = outcome.ok
    ? outcome.value
    : (closedGate(context, outcome.refusal) ??
      problemReply(
        outcome.refusal,
        requestId,
        isOfCondition((name) => context.header(name), outcome.refusal),
      ));
  const { status, text, bytes, stream, headers } = reply;
  const durationMs = server.clock.now() - startedAt;
  target.count(status, durationMs);
  logAnswer(context, target, outcome, status, durationMs);
  return { status, text, bytes, stream, headers: headerList(headers, context) };
}

function headerList(own: Reply['headers'], { answerHeaders, requestId }: RequestContext): string[] {
  const headers = answerHeaders === null ? own : { ...own, ...answerHeaders };
  const list: string[] = [];
  for (const name in headers) list.push(name, headers[name] ?? '');
  if (headers['cache-control'] === undefined) list.push('cache-control', ON_EVERY_ANSWER['cache-control']);
  list.push('vary', ON_EVERY_ANSWER.vary);
  list.push('x-request-id', requestId);
  return list;
}

/**
 * Answers one request. Fails only if `use` fails.
 *
 * @param use - Receives the answer.
 */
export function answerTo<T>(
  server: ServerContext,
  target: Target,
  inbound: Inbound,
  use: (answer: Answer) => T,
): MaybePromise<T> {
  const startedAt = server.clock.now();
  const context = new RequestContext(server, inbound);
  const answer = (outcome: Outcome<Reply>) => use(answerOf(target, context, outcome, startedAt));
  const turn = target.urgent ? undefined : server.slices.turn();
  const soon = turn === undefined ? outcomeOf(target, context) : turn.then(() => outcomeOf(target, context));
  return soon instanceof Promise
    ? soon.then(answer, (error: unknown) => answer(thrown(error, context)))
    : answer(soon);
}

/** Answers one request through Hono. */
export function serve(
  server: ServerContext,
  target: Target,
  context: Context<HttpEnv>,
): MaybePromise<Response> {
  return answerTo(server, target, new FetchInbound(context), (answer) =>
    context.req.method === 'HEAD' ? headOf(answer) : responseOf(answer),
  );
}

function responseOf({ text, stream, status, headers }: Answer): Response {
  const body = stream === undefined ? text : readableOf(stream);
  return new Response(body, { status, headers: recordOf(headers) });
}

/** The same headers as for `GET`, without a body. A stream does not start. */
function headOf({ text, bytes, stream, status, headers }: Answer): Response {
  stream?.stop();
  if (text !== null) headers.push('content-length', String(bytes ?? Buffer.byteLength(text)));
  return new Response(null, { status, headers: recordOf(headers) });
}

/** Hono's server writes a record as it is, in its order. */
function recordOf(list: readonly string[]): Record<string, string> {
  const record: Record<string, string> = {};
  for (let at = 0; at < list.length; at += 2) record[list[at] ?? ''] = list[at + 1] ?? '';
  return record;
}
