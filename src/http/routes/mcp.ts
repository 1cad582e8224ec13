// `POST /mcp`: admits a request, authenticates the caller, and passes it to the MCP server. Does not interpret
// the JSON-RPC reply.
import { Type } from 'typebox';
import { ok, fail, type Result } from '../../domain/errors.js';
import { isJsonObject, type JsonValue } from '../../domain/json/json.js';
import { JsonRpcAnswer, JsonRpcMessage } from '../../ports/api/index.js';
import { callerOf, type Actor } from '../../domain/access/actor.js';
import type { Waiting } from '../../ports/mcp-transport.js';
import type { Countersign } from '../../ports/service.js';
import { linkSignals, requestFollowing } from '../../lib/signals.js';
import type { WatchedCaller } from '../caller-watch.js';
import type { ServerContext } from '../server-context.js';
import type { RequestContext } from '../requests/request-context.js';
import type { Reply } from '../replies/reply.js';
import { endpoint, type CallerCall } from '../endpoint.js';
import type { Route } from '../route.js';

/** Headers of an MCP reply that are sent; lengths and connection headers come from the HTTP adapter. */
const PASSED = ['content-type', 'x-accel-buffering', 'allow', 'mcp-protocol-version'];
const FORWARDED = [
  'accept',
  'content-type',
  'user-agent',
  'x-workflow-state-id',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
];
/** Arguments that a client repeats in headers; the SDK compares them with the body. */
const PARAMETER = 'mcp-param-';

/** Methods that concern only the server. A client connects before its hook has registered its session. */
const OF_NO_STATE: ReadonlySet<JsonValue | undefined> = new Set([
  'initialize',
  'notifications/initialized',
  'notifications/cancelled',
  'notifications/roots/list_changed',
  'ping',
  'server/discover',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  // The server answers that it has none of these.
  'prompts/list',
  'logging/setLevel',
]);

async function answerMcp(
  { context, actor, service, unknownSession }: CallerCall<unknown, unknown>,
  body: JsonValue,
): Promise<Result<Reply>> {
  if (unknownSession !== null && !(isJsonObject(body) && OF_NO_STATE.has(body['method']))) {
    return { ok: false, failure: unknownSession };
  }
  const { mcp } = context.server;
  if (mcp === null) return fail('route_not_found', 'This service has no MCP endpoint', { path: '/mcp' });
  // The body is complete. Yields here, so that many requests that arrive together do not block the event loop.
  const pause = context.server.slices.yieldIfDue();
  if (pause !== undefined) await pause;
  const own = unknownSession === null ? service : withoutStates(service);
  const message = { header: (name: string) => context.header(name), body, actor, service: own };
  const reply = await mcp.reply(message);
  if (reply !== null)
    return ok({ status: 200, text: reply, headers: { 'content-type': 'application/json' } });
  const watched = context.watched(actor);
  const subscribes = isJsonObject(body) && body['method'] === 'subscriptions/listen';
  const lifetime = lifetimeOf(context, watched, subscribes);
  try {
    const request = requestFollowing(lifetime.signal, `http://${context.inbound.host ?? 'localhost'}/mcp`, {
      method: 'POST',
      headers: headersOf(context),
    });
    const waiting: Waiting = (work) => context.waiting(actor, work);
    const response = await mcp.answer({ ...message, request, waiting, subscribes });
    if (watched.failure === null) return ok(await replyOf(response, lifetime, context.server, actor));
    lifetime.end();
    return { ok: false, failure: watched.failure };
  } catch (error) {
    lifetime.end();
    throw error;
  }
}

/** A session that does not exist yet has no states to list. */
function withoutStates(service: Countersign): Countersign {
  const list = () => Promise.resolve(ok({ items: [], next_cursor: null }));
  return { ...service, states: { ...service.states, list } };
}

/** Headers that identify the caller are not forwarded: the caller is already authenticated. */
function headersOf(context: RequestContext): Headers {
  const headers = new Headers();
  for (const name of FORWARDED) {
    const value = context.header(name);
    if (value !== null) headers.set(name, value);
  }
  for (const [name, value] of Object.entries(context.inbound.message?.headers ?? {})) {
    if (name.startsWith(PARAMETER) && typeof value === 'string') headers.set(name, value);
  }
  return headers;
}

/** Made once: the default reason takes a stack trace for each request. */
const ENDED = new DOMException('The request has ended', 'AbortError');

interface Lifetime {
  readonly signal: AbortSignal;
  readonly end: () => void;
  /** Ends it after `ms`, if it has not ended by then. */
  readonly endWithin: (ms: number) => void;
}

/**
 * Ends when the caller disconnects, or when the reply is complete. A subscription has no other end: it ends when the caller
 * loses its access, and when the server stops. Calls are answered then.
 */
function lifetimeOf(
  { inbound: { gone, stopping } }: RequestContext,
  watched: WatchedCaller,
  subscribes: boolean,
): Lifetime {
  const { signal, abort, release } = linkSignals(gone, ...(subscribes ? [watched.signal, stopping] : []));
  let timer: NodeJS.Timeout | undefined;
  const end = () => {
    clearTimeout(timer);
    watched.stop();
    release();
    abort(ENDED);
  };
  return {
    signal,
    end,
    endWithin: (ms) => {
      timer = setTimeout(end, ms);
    },
  };
}

async function replyOf(
  response: Response,
  lifetime: Lifetime,
  server: ServerContext,
  actor: Actor,
): Promise<Reply> {
  const headers: Record<string, string> = {};
  for (const name of PASSED) {
    const value = response.headers.get(name);
    if (value !== null) headers[name] = value;
  }
  const { status, body } = response;
  if (body !== null && headers['content-type']?.startsWith('text/event-stream') === true) {
    const { limits, streamSlices: slices, streamBuffers: buffers } = server;
    // Like every stream, so that the caller is authenticated again when it reconnects.
    lifetime.endWithin(limits.streamMsMax);
    const stream = {
      chunks: chunksOf(body, lifetime),
      stop: lifetime.end,
      tooSlow: '',
      stallMs: limits.streamStallMs,
      caller: callerOf(actor),
      buffers,
      slices,
    };
    return { status, text: null, headers, stream };
  }
  const text = body === null ? null : await response.text();
  lifetime.end();
  return { status, text, headers };
}

async function* chunksOf(body: ReadableStream<Uint8Array>, lifetime: Lifetime): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } finally {
    lifetime.end();
  }
}

export const mcpRoutes: readonly Route[] = [
  endpoint({
    method: 'POST',
    path: '/mcp',
    operationId: 'mcp',
    summary: 'Model Context Protocol over streamable HTTP, without protocol sessions',
    tag: 'Service',
    answers: {
      200: {
        description: 'The JSON-RPC answer, as JSON or as Server-Sent Events',
        schema: JsonRpcAnswer,
        other: { contentType: 'text/event-stream', schema: Type.String() },
        headers: ['X-Accel-Buffering', 'MCP-Protocol-Version'],
      },
      202: { description: 'A notification was taken' },
      400: { description: 'Not a request of a revision that is spoken here', schema: JsonRpcAnswer },
      406: {
        description: '`Accept` does not name both `application/json` and `text/event-stream`',
        schema: JsonRpcAnswer,
      },
    },
    errors: ['route_not_found', 'session_not_found'],
    headers: {
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': 'The revision that is spoken, after `initialize`',
      'X-Workflow-State-Id': 'The state that tools work on where their arguments name none',
    },
    keyed: false,
    beforeSession: true,
  }).json(JsonRpcMessage, answerMcp),
];
