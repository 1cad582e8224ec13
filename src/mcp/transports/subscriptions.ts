// Admits subscriptions over HTTP: only to states that the caller may read, and within its limits.
import { setImmediate } from 'node:timers/promises';
import type { Failure } from '../../domain/errors.js';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import type { Limits } from '../../domain/limits.js';
import type { McpRequest } from '../../ports/mcp-transport.js';
import type { Semaphore } from '../../domain/semaphore.js';
import type { Countersign } from '../../ports/service.js';
import { stateIdOf } from '../server.js';

const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;

type Admitted =
  | { readonly failure: Response; readonly release?: undefined }
  | { readonly failure?: undefined; readonly release: () => void };

/**
 * Acquires a permit for a subscription. The permit is released when the signal of the request aborts, which
 * happens when the reply ends.
 *
 * @param body - A request with the method `subscriptions/listen`.
 * @returns A function that releases the permit earlier; or the reply that rejects the subscription.
 */
export async function admitSubscription(
  { request, service, actor }: McpRequest,
  body: JsonObject,
  semaphore: Semaphore,
  { mcpResourcesPerSubscriptionMax }: Limits,
): Promise<Admitted> {
  const { params, id = null } = body;
  const filter = isJsonObject(params) ? params['notifications'] : undefined;
  const named = isJsonObject(filter) ? filter['resourceSubscriptions'] : undefined;
  const uris = isJsonArray(named) ? named : [];
  if (uris.length > mcpResourcesPerSubscriptionMax) {
    const message = `limit_exceeded: A subscription names at most ${String(mcpResourcesPerSubscriptionMax)} resources (mcpResourcesPerSubscriptionMax), not ${String(uris.length)}`;
    return { failure: errorOf(id, INVALID_PARAMS, message) };
  }
  const permit = semaphore.tryAcquire(actor);
  if (!permit.ok) return { failure: errorOf(id, INTERNAL_ERROR, overloaded(permit.failure)) };
  const release = permit.value;
  const { signal } = request;
  signal.addEventListener('abort', release, { once: true });
  if (signal.aborted) release();
  const fault = await unreadable(uris, service);
  if (fault === null) return { release };
  release();
  return { failure: errorOf(id, INVALID_PARAMS, fault) };
}

function overloaded({ error, detail, members }: Failure): string {
  return `${error}: ${detail} (${JSON.stringify(members['limit'])})`;
}

/**
 * Checks that the caller may read every named state, because the event bus does not check callers.
 *
 * @returns What is wrong with the first that it may not; `null` if there is none.
 */
export async function unreadable(uris: readonly JsonValue[], service: Countersign): Promise<string | null> {
  for (const uri of new Set(uris)) {
    // Yields to the event loop before each check, so that many subscriptions to many states delay nobody.
    await setImmediate();
    const stateId = typeof uri === 'string' ? stateIdOf(uri) : null;
    const may = stateId === null ? null : await service.states.events(stateId, { limit: 1 });
    if (may?.ok === true) continue;
    return `There is no state to subscribe to at ${JSON.stringify(uri)}: ${may?.failure.detail ?? 'not the URI of a state'}`;
  }
  return null;
}

function errorOf(id: JsonValue, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', id, error: { code, message } });
}
