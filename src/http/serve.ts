// One request from its arrival to its answer: guard, route, problem, numbers, log. The only place that makes a Response.
import type { Context } from 'hono';
import { invalidMember, refused, type Outcome } from '../domain/errors.js';
import { BadCursorError, StorageFullError } from '../ports/store.js';
import { CallerGoneError } from './body.js';
import type { Door } from './door.js';
import { Exchange, type HttpEnv } from './exchange.js';
import type { CountRequest } from './metrics.js';
import { problemReply } from './problem.js';
import type { Reply } from './reply.js';
import type { Bound } from './route.js';

export interface Target {
  /** The route's path as defined, for the log. */
  readonly name: string;
  readonly bound: Bound;
  readonly count: CountRequest;
}

/** The Host that the caller named; in process there is only the URL. */
function hostOf(exchange: Exchange): string {
  return exchange.header('host') ?? new URL(exchange.request.url).host;
}

/** What was thrown, as a refusal. Only names reach the caller, never the message of a bug. */
function thrown(error: unknown, exchange: Exchange): Outcome<Reply> {
  const { logger } = exchange.door;
  const { requestId: request_id, method, path } = exchange;
  if (error instanceof BadCursorError) {
    return invalidMember(
      '/query/cursor',
      'is not a cursor of this list',
      'next_cursor of an answer of this list',
    );
  }
  if (error instanceof CallerGoneError) return refused('invalid_json', 'The body ended too early');
  if (error instanceof StorageFullError) {
    logger.error({ request_id, method, path, err: error }, 'the disk is full');
    return refused('storage_full', 'The database cannot grow; nothing was written');
  }
  logger.error({ request_id, method, path, err: error }, 'request failed');
  return refused('internal', 'The service failed; its log has more under the request id');
}

async function outcomeOf(target: Target, exchange: Exchange): Promise<Outcome<Reply>> {
  const { guard } = exchange.door;
  const origin = exchange.header('origin');
  try {
    const refusal = guard.check(hostOf(exchange), origin);
    if (refusal !== null) return { ok: false, refusal };
    if (origin !== null && guard.isListed(origin)) {
      exchange.answerHeader('access-control-allow-origin', origin);
      exchange.answerHeader('access-control-expose-headers', 'ETag, Location, Retry-After, X-Request-Id');
      exchange.answerHeader('vary', 'Origin');
    }
    return await target.bound(exchange);
  } catch (error) {
    return thrown(error, exchange);
  }
}

/** 5xx are errors, save those that probes ask for; everything else is of interest when one looks for it. */
function logAnswer(
  exchange: Exchange,
  target: Target,
  outcome: Outcome<Reply>,
  status: number,
  ms: number,
): void {
  const { logger } = exchange.door;
  const fields = {
    request_id: exchange.requestId,
    method: exchange.method,
    path: exchange.path,
    route: target.name,
    status,
    duration_ms: ms,
    ...(outcome.ok ? undefined : { error: outcome.refusal.error }),
  };
  if (status >= 500 && !outcome.ok) logger.error(fields, 'request');
  else logger.debug(fields, 'request');
}

/** Answers one request. Never rejects. */
export async function serve(
  door: Door,
  target: Target,
  context: Context<HttpEnv>,
  requestId: string,
): Promise<Response> {
  const startedAt = door.clock.now();
  const exchange = new Exchange(door, context, requestId);
  const outcome = await outcomeOf(target, exchange);
  const reply = outcome.ok
    ? outcome.value
    : problemReply(outcome.refusal, requestId, exchange.header('if-match') !== null);
  const durationMs = door.clock.now() - startedAt;
  target.count(reply.status, durationMs);
  logAnswer(exchange, target, outcome, reply.status, durationMs);
  const headers = { ...reply.headers, ...exchange.answerHeaders, 'x-request-id': requestId };
  return new Response(reply.text, { status: reply.status, headers });
}
