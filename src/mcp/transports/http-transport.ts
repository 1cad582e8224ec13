// MCP over streamable HTTP, without protocol sessions: a new server for the caller handles each request. The HTTP
// server has already checked Host, Origin and identity.
import { createMcpHandler } from '@modelcontextprotocol/server';
import { OPEN_LOOPBACK, type Actor } from '../../domain/access/actor.js';
import { ok, type Result } from '../../domain/errors.js';
import { isJsonObject, type JsonObject } from '../../domain/json/json.js';
import { boundSessionId } from '../../domain/session-ids.js';
import type { ClientSession } from '../../agent-clients/conversations.js';
import type { Limits } from '../../domain/limits.js';
import { semaphoreOf } from '../../domain/semaphore.js';
import { sleep } from '../../lib/backoff.js';
import { ClientSessions } from '../../ports/client-sessions.js';
import type { McpMessage, McpTransport, McpRequest } from '../../ports/mcp-transport.js';
import type { Logger } from '../../ports/runtime.js';
import type { Host } from '../../ports/host.js';
import { TimeSlices } from '../../lib/time-slices.js';
import { withoutNulls } from '../messages.js';
import { createMcpServer, type Identified, type OncePerKey } from '../server.js';
import { replyTo, singleReplyCall } from './single-reply.js';
import { admitSubscription } from './subscriptions.js';
import { StateChanges } from './state-changes.js';
import type { ToolOutput } from '../tool.js';

export interface McpHttpOptions {
  readonly host: Pick<Host, 'as' | 'identify' | 'once' | 'damagedRecord'>;
  readonly limits: Limits;
  readonly logger: Logger;
  readonly version: string;
  /**
   * Creates the server of each request; `createMcpServer` by default. Only the test build of the conformance
   * suite sets it.
   */
  readonly serverFor?: typeof createMcpServer | undefined;
}

/** Creates the transport for `/mcp`. Subscriptions share one stream of the service. */
export function createMcpTransport({
  host,
  limits,
  logger,
  version,
  ...options
}: McpHttpOptions): McpTransport {
  const serverFor = options.serverFor ?? createMcpServer;
  const callers = new WeakMap<Request, McpRequest>();
  const operator = host.as(OPEN_LOOPBACK);
  const changes = new StateChanges(operator.streams, logger);
  const semaphore = semaphoreOf(
    limits,
    'mcpSubscriptionsMax',
    'mcpSubscriptionsPerCallerMax',
    'mcpSubscriptionsPerTreeMax',
  );
  const slices = new TimeSlices();
  const conversations = new ClientSessions(operator.sessions, boundSessionId);
  const asConversation = async (conversation: ClientSession | null): Promise<Identified | null> => {
    const sessionId = conversation === null ? null : await conversations.find(conversation);
    if (sessionId === null) return null;
    const found = await host.identify({ bearer: null, sessionId, sessionName: null });
    if (!found.ok || found.value.kind !== 'session') return null;
    const actor = found.value;
    return {
      service: host.as(actor),
      caller: { session: sessionId, stateId: null },
      once: (...call) => answerOnce(host, actor, limits, ...call),
    };
  };
  // Without protocol sessions, earlier protocol revisions have no stream for notifications.
  const serverOf = (
    { service, actor, header, body, waiting }: McpMessage & Partial<Pick<McpRequest, 'waiting'>>,
    subscribe: boolean,
  ) =>
    serverFor({
      service,
      caller: {
        session: actor.kind === 'session' ? actor.sessionId : null,
        isNoSession: actor.kind !== 'session',
        stateId: header('x-workflow-state-id'),
      },
      limits,
      logger,
      version,
      slices,
      damagedRecord: (damage) => host.damagedRecord(damage),
      message: body,
      subscribe,
      waiting,
      once: (...call) => answerOnce(host, actor, limits, ...call),
      asConversation: isUnidentified(actor) ? asConversation : undefined,
    });
  /** What the SDK reported last. It reports faults of requests, too, so that anyone could fill the log with them. */
  let latest: Error | null = null;
  const handler = createMcpHandler(
    ({ era, requestInfo }) => {
      const asked = requestInfo === undefined ? undefined : callers.get(requestInfo);
      if (asked === undefined) throw new Error('A request that the HTTP server did not admit');
      return serverOf(asked, era === 'modern');
    },
    {
      bus: changes,
      maxSubscriptions: limits.mcpSubscriptionsMax,
      maxRequestBodySize: limits.bodyBytesMax,
      onerror: (error) => {
        latest = error;
        logger.debug({ detail: error.message }, 'mcp request');
      },
    },
  );

  return {
    async reply(asked) {
      const message = { ...asked, body: withoutNulls(asked.body) };
      const call = singleReplyCall(message);
      return call === null ? null : JSON.stringify(await replyTo(serverOf(message, false), call));
    },
    async answer(given) {
      const body = withoutNulls(given.body);
      const asked = { ...given, body };
      const listens = asked.subscribes && isJsonObject(body);
      const permit = listens ? await admitSubscription(asked, body, semaphore, limits) : null;
      if (permit?.failure !== undefined) return permit.failure;
      callers.set(asked.request, asked);
      try {
        const response = await handler.fetch(asked.request, { parsedBody: body });
        if (response.status >= 500)
          logger.error({ status: response.status, err: latest }, 'mcp request failed');
        return response;
      } catch (error) {
        permit?.release();
        throw error;
      }
    },
    endSubscriptions: () => changes.close(),
    async close() {
      changes.close();
      await handler.close();
    },
  };
}

/** Whoever comes to an open loopback without saying who it is. */
function isUnidentified(actor: Actor): boolean {
  return actor.kind === 'operator' && actor.tokenName === null;
}

/** How soon a repeated call looks again whether the first one has ended. */
const FIRST_CALL_PACE_MS = 50;

/**
 * Executes a call once. A repeated call waits for the first one and gets its answer, or is executed if the first one was
 * refused.
 *
 * @returns The answer; or `idempotency_in_flight` after `mcpWaitMsMax`, or a failure of `work`.
 */
async function answerOnce(
  host: Pick<Host, 'once'>,
  actor: Actor,
  { mcpWaitMsMax }: Pick<Limits, 'mcpWaitMsMax'>,
  ...[{ toolCallId, ...keyed }, work, signal]: Parameters<OncePerKey>
): Promise<Result<ToolOutput>> {
  const deadline = performance.now() + mcpWaitMsMax;
  for (;;) {
    const result = await host.once(
      { ...actor, toolCallId },
      keyed,
      async (service): Promise<Result<JsonObject>> => {
        const answered = await work(service);
        // Converts the value to plain JSON, so that a replay returns exactly what was sent.
        return answered.ok ? ok(JSON.parse(JSON.stringify(answered.value)) as JsonObject) : answered;
      },
    );
    if (result.ok) return ok(result.value.answer);
    const isUnderWay = result.failure.error === 'idempotency_in_flight';
    if (!isUnderWay || signal.aborted || performance.now() >= deadline) return result;
    await sleep(FIRST_CALL_PACE_MS, signal);
  }
}
