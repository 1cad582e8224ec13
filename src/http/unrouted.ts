// Requests that no route takes: an unknown path, another method than the path's, or a browser's preflight.
import { accepted, refused, type Outcome } from '../domain/errors.js';
import type { Exchange } from './exchange.js';
import { emptyReply, type Reply } from './reply.js';
import type { Bound, Route } from './route.js';
import { SOCKET_PATH } from './socket/socket-door.js';

const PREFLIGHT_SECONDS = '600';

/** A path with OpenAPI parameters as Hono writes it: `/runs/{id}` is `/runs/:id`. */
export function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

function pathPattern(path: string): RegExp {
  const source = path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+');
  return new RegExp(`^${source}$`);
}

/** Methods by path, `HEAD` wherever `GET` is. */
function methodTable(routes: readonly Route[]): readonly { pattern: RegExp; methods: readonly string[] }[] {
  const byPath = new Map<string, string[]>();
  for (const { path, method } of routes) {
    const methods = byPath.get(path) ?? [];
    methods.push(...(method === 'GET' ? ['GET', 'HEAD'] : [method]));
    byPath.set(path, methods);
  }
  return [...byPath].map(([path, methods]) => ({ pattern: pathPattern(path), methods }));
}

function preflight(exchange: Exchange, methods: readonly string[]): Outcome<Reply> | null {
  const origin = exchange.header('origin');
  if (exchange.method !== 'OPTIONS' || origin === null || !exchange.door.guard.isListed(origin)) return null;
  if (exchange.header('access-control-request-method') === null) return null;
  return accepted(
    emptyReply(204, {
      'access-control-allow-methods': methods.join(', '),
      'access-control-allow-headers': exchange.header('access-control-request-headers') ?? '',
      'access-control-max-age': PREFLIGHT_SECONDS,
    }),
  );
}

/** Answers `route_not_found`, or `method_not_allowed` with `Allow`, or a preflight of a listed origin. */
export function nothingHere(routes: readonly Route[]): Bound {
  const table = methodTable(routes);
  return (exchange) => {
    const { path, method } = exchange;
    const methods = table.find(({ pattern }) => pattern.test(path))?.methods;
    if (methods === undefined) {
      const detail =
        path === SOCKET_PATH
          ? 'Here WebSockets are opened: ask with `Upgrade: websocket`, or read the events at /stream.'
          : 'There is nothing at this path; see /docs';
      return Promise.resolve(refused('route_not_found', detail, { path }));
    }
    const allowed = preflight(exchange, methods);
    if (allowed !== null) return Promise.resolve(allowed);
    exchange.answerHeader('allow', methods.join(', '));
    return Promise.resolve(
      refused('method_not_allowed', `The path takes ${methods.join(', ')}, not ${method}`, {
        allowed: methods,
      }),
    );
  };
}
