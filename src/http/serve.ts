// Handles one request from its arrival to its answer: guard, route, failure, metrics, log.
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context } from 'hono';
import { RecordDamagedError } from '../domain/damage/damage.js';
import { invalidMember, fail, type Result } from '../domain/errors.js';
import { after, type MaybePromise } from '../lib/maybe-promise.js';
import { BadCursorError } from '../ports/storage/reader.js';
import { threadFailure } from '../ports/schema-engine.js';
import { storageFailure } from '../ports/storage/storage.js';
import { EXPOSED_HEADERS, ON_EVERY_REPLY } from './replies/reply-headers.js';
import { CallerGoneError } from './requests/body.js';
import { closedGate } from './routes/shared/closed-gate.js';
import type { ServerContext } from './server-context.js';
import { RequestContext } from './requests/request-context.js';
import { bindingsOf, FetchInbound, type HttpEnv } from './requests/fetch-inbound.js';
import type { Inbound } from './requests/inbound.js';
import type { CountRequest } from './metrics.js';
import { isOfCondition } from './preconditions.js';
import { problemReply, internalFailure } from './replies/problem.js';
import type { Reply } from './replies/reply.js';
import type { Bound } from './route.js';
import { bytesOf, sendReply, type FinalReply } from './replies/send-reply.js';
import { readableOf } from './replies/send-stream.js';

const EXPOSED = EXPOSED_HEADERS.join(', ');

/** In characters. The adapter of Hono would measure and encode a longer text again. */
const LONG_TEXT = 65_536;

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
function thrown(error: unknown, context: RequestContext): Result<Reply> {
  const { host, logger } = context.server;
  const { requestId: request_id, method, path } = context;
  if (error instanceof BadCursorError) {
    return invalidMember(
      '/query/cursor',
      'is not a cursor of this list',
      'next_cursor of an answer of this list',
    );
  }
  if (error instanceof CallerGoneError) return fail('invalid_json', 'The body ended too early');
  const failure = storageFailure(error);
  if (failure !== null) {
    logger.error({ request_id, method, path, err: error }, 'the database cannot be used');
    return { ok: false, failure };
  }
  if (error instanceof RecordDamagedError) return host.damagedRecord(error.damage);
  const noThread = threadFailure(error);
  if (noThread !== null) {
    logger.error({ request_id, method, path, err: error }, 'the system gives no thread');
    return { ok: false, failure: noThread };
  }
  logger.error({ request_id, method, path, err: error }, 'request failed');
  return internalFailure();
}

function resultOf(target: Target, context: RequestContext): MaybePromise<Result<Reply>> {
  const { guard } = context.server;
  const origin = context.header('origin');
  try {
    const header = target.changes ? (name: string) => context.header(name) : null;
    const failure = guard.check(context.inbound.host, origin, header);
    if (failure !== null) return { ok: false, failure };
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
  result: Result<Reply>,
  status: number,
  ms: number,
): void {
  const { logger } = context.server;
  const failed = status >= 500 && !result.ok;
  if (!failed && !logger.verbose) return;
  const fields = {
    request_id: context.requestId,
    method: context.method,
    path: context.path,
    route: target.name,
    status,
    duration_ms: ms,
    ...(result.ok ? undefined : { error: result.failure.error }),
  };
  if (failed) logger.error(fields, 'request');
  else logger.debug(fields, 'request');
}

function answerOf(
  target: Target,
  context: RequestContext,
  result: Result<Reply>,
  startedAt: number,
): FinalReply {
  const { server, requestId } = context;
  const reply: Reply = result.ok
    ? result.value
    : (closedGate(context, result.failure) ??
      problemReply(
        result.failure,
        requestId,
        isOfCondition((name) => context.header(name), result.failure),
      ));
  const { status, text, bytes, encoded, stream, headers } = reply;
  const durationMs = Math.max(0, server.clock.now() - startedAt);
  target.count(status, durationMs);
  logAnswer(context, target, result, status, durationMs);
  return { status, text, bytes, encoded, stream, headers: allHeaders(headers, context) };
}

/** The headers of every answer, and the answer's own, which take precedence. */
function allHeaders(own: Reply['headers'], { answerHeaders, requestId }: RequestContext): Reply['headers'] {
  const everywhere = {
    'cache-control': ON_EVERY_REPLY['cache-control'],
    vary: ON_EVERY_REPLY.vary,
    'x-request-id': requestId,
  };
  return Object.assign(everywhere, own, answerHeaders);
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
  use: (answer: FinalReply) => T,
): MaybePromise<T> {
  const startedAt = server.clock.now();
  const context = new RequestContext(server, inbound);
  const answer = (result: Result<Reply>) =>
    after(result.ok ? context.delivered() : undefined, () =>
      use(answerOf(target, context, result, startedAt)),
    );
  const pause = target.urgent ? undefined : server.slices.yieldIfDue();
  const result =
    pause === undefined ? resultOf(target, context) : pause.then(() => resultOf(target, context));
  return result instanceof Promise
    ? result.then(answer, (error: unknown) => answer(thrown(error, context)))
    : answer(result);
}

/** Answers one request that Hono has routed. A stream over a socket is written to Node's response. */
export function serve(
  server: ServerContext,
  target: Target,
  context: Context<HttpEnv>,
): MaybePromise<Response> {
  return answerTo(server, target, new FetchInbound(context), (answer) => {
    const { outgoing, isOwn = false } = bindingsOf(context);
    if (context.req.method === 'HEAD' && !isOwn) return headOf(answer);
    if (outgoing === undefined || (answer.stream === undefined && !isOwn && !isLong(answer)))
      return responseOf(answer);
    sendReply(outgoing, answer);
    return RESPONSE_ALREADY_SENT;
  });
}

function isLong({ text }: FinalReply): boolean {
  return text !== null && text.length > LONG_TEXT;
}

function responseOf({ text, encoded, stream, status, headers }: FinalReply): Response {
  if (encoded !== undefined) return new Response(new Uint8Array(encoded), { status, headers });
  return new Response(stream === undefined ? text : readableOf(stream), { status, headers });
}

/** The same headers as for `GET`, without a body. A stream does not start. */
function headOf(answer: FinalReply): Response {
  const { text, stream, status, headers } = answer;
  stream?.stop();
  const length = text === null ? {} : { 'content-length': String(bytesOf(answer)) };
  return new Response(null, { status, headers: { ...headers, ...length } });
}
