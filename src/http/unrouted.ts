// Requests without a route: an unknown path, a method that the path does not support, `OPTIONS`, a CORS
// preflight, and `/ws` without a WebSocket.
import { ok, fail } from '../domain/errors.js';
import type { RequestContext } from './requests/request-context.js';
import { emptyReply } from './replies/reply.js';
import type { Bound, Route } from './route.js';
import { SOCKET_PATH } from './socket/handshake.js';

const PREFLIGHT_SECONDS = '600';

/** A path with OpenAPI parameters in Hono's form: `/runs/{id}` is `/runs/:id`. */
export function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

function pathPattern(path: string): RegExp {
  const source = path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+');
  return new RegExp(`^${source}$`);
}

interface PathMethods {
  readonly pattern: RegExp;
  readonly methods: readonly string[];
}

/** Methods by path. Includes `HEAD` if `GET` removes nothing. */
function methodTable(routes: readonly Route[], pages: readonly string[]): readonly PathMethods[] {
  const byPath = new Map<string, string[]>([SOCKET_PATH, ...pages].map((path) => [path, ['GET', 'HEAD']]));
  for (const { path, method, head } of routes) {
    const methods = byPath.get(path) ?? [];
    methods.push(...(method === 'GET' && head !== false ? ['GET', 'HEAD'] : [method]));
    byPath.set(path, methods);
  }
  return [...byPath].map(([path, methods]) => ({ pattern: pathPattern(path), methods }));
}

/** The CORS headers of a preflight from a page of a listed origin; `null` for other requests. */
function preflight(
  context: RequestContext,
  methods: readonly string[],
): Readonly<Record<string, string>> | null {
  const origin = context.header('origin');
  if (origin === null || !context.server.guard.isListed(origin)) return null;
  if (context.header('access-control-request-method') === null) return null;
  return {
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': context.header('access-control-request-headers') ?? '',
    'access-control-max-age': PREFLIGHT_SECONDS,
  };
}

/**
 * Answers `OPTIONS` with `Allow`, and everything else with `route_not_found`, `method_not_allowed` or
 * `upgrade_required`.
 *
 * @param pages - Paths that are no routes and always answer `GET`.
 */
export function notFound(routes: readonly Route[], pages: readonly string[]): Bound {
  const table = methodTable(routes, pages);
  const everywhere = [...new Set(table.flatMap(({ methods }) => methods)), 'OPTIONS'];
  return (context) => {
    const { path, method } = context;
    const methods = table.find(({ pattern }) => pattern.test(path))?.methods;
    if (path === '*' && method === 'OPTIONS') {
      return ok(emptyReply(204, { allow: everywhere.join(', ') }));
    }
    if (methods === undefined) {
      return fail('route_not_found', 'There is nothing at this path; see /docs', { path });
    }
    const allowed = [...methods, 'OPTIONS'];
    if (method === 'OPTIONS') {
      return ok(emptyReply(204, { allow: allowed.join(', '), ...preflight(context, methods) }));
    }
    if (path === SOCKET_PATH && methods.includes(method)) {
      const detail =
        'This path accepts WebSockets only: send `Upgrade: websocket`, or read the events at /stream.';
      return fail('upgrade_required', detail);
    }
    return fail('method_not_allowed', `The path takes ${allowed.join(', ')}, not ${method}`, { allowed });
  };
}
