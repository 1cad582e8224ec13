// MCP over streamable HTTP, without protocol sessions: each request is served alone, by a server made for its caller.
// The HTTP door has checked Host, Origin and identity before.
import { createMcpHandler } from '@modelcontextprotocol/server';
import { isJsonArray, isJsonObject, type JsonValue } from '../domain/json.js';
import type { Limits } from '../domain/limits.js';
import type { McpDoor, McpRequest } from '../ports/mcp-door.js';
import type { Logger } from '../ports/runtime.js';
import type { Countersign, Host } from '../ports/service.js';
import { createMcpServer, stateIdOf } from './server.js';
import { StateChanges } from './state-changes.js';

const INVALID_PARAMS = -32602;

export interface McpHttpOptions {
  readonly host: Pick<Host, 'as'>;
  readonly limits: Limits;
  readonly logger: Logger;
  readonly version: string;
  /** Makes the server of each request; `createMcpServer` where it is left out. For the conformance suite's test build. */
  readonly serverFor?: typeof createMcpServer | undefined;
}

export function createMcpDoor({ host, limits, logger, version, ...options }: McpHttpOptions): McpDoor {
  const serverFor = options.serverFor ?? createMcpServer;
  const callers = new WeakMap<Request, McpRequest>();
  const changes = new StateChanges(host.as({ kind: 'operator', tokenName: null }).streams, logger);
  const handler = createMcpHandler(
    ({ era, requestInfo }) => {
      const asked = requestInfo === undefined ? undefined : callers.get(requestInfo);
      if (asked === undefined) throw new Error('A request that the door did not let in');
      const { service, actor, request } = asked;
      return serverFor({
        service,
        caller: {
          session: actor.kind === 'session' ? actor.sessionId : null,
          stateId: request.headers.get('x-workflow-state-id'),
        },
        limits,
        logger,
        version,
        // Without a session there is no stream on which earlier revisions could be told.
        subscribe: era === 'modern',
      });
    },
    {
      bus: changes,
      maxSubscriptions: limits.mcpSubscriptionsMax,
      maxRequestBodySize: limits.bodyBytesMax,
      onerror: (error) => logger.warn({ err: error }, 'mcp request'),
    },
  );

  return {
    async answer(asked) {
      const refusal = await refusedSubscription(asked.body, asked.service);
      if (refusal !== null) return refusal;
      callers.set(asked.request, asked);
      return handler.fetch(asked.request, { parsedBody: asked.body });
    },
    async close() {
      changes.close();
      await handler.close();
    },
  };
}

/** Whoever listens hears of a state only where it may read it: the bus itself knows no callers. */
async function refusedSubscription(body: JsonValue, service: Countersign): Promise<Response | null> {
  if (!isJsonObject(body) || body['method'] !== 'subscriptions/listen') return null;
  const { params, id } = body;
  const filter = isJsonObject(params) ? params['notifications'] : undefined;
  const uris = isJsonObject(filter) ? filter['resourceSubscriptions'] : undefined;
  for (const uri of isJsonArray(uris) ? uris : []) {
    const stateId = typeof uri === 'string' ? stateIdOf(uri) : null;
    const may = stateId === null ? null : await service.states.events(stateId, { limit: 1 });
    if (may?.ok === true) continue;
    const message = `There is no state to subscribe to at ${JSON.stringify(uri)}: ${may?.refusal.detail ?? 'not the URI of a state'}`;
    return Response.json({ jsonrpc: '2.0', id: id ?? null, error: { code: INVALID_PARAMS, message } });
  }
  return null;
}
