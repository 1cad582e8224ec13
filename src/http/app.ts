// The door as a Hono app: every route registered from its definition, one handler each, so that Hono calls it directly.
import { Hono, type Context } from 'hono';
import type { Door, HttpOptions } from './door.js';
import { docsPage } from './docs-page.js';
import type { HttpEnv } from './exchange.js';
import { createGuard } from './guard.js';
import { createMetrics, type CountRequest } from './metrics.js';
import { openApiDocument } from './openapi.js';
import { requestIdOf } from './request-id.js';
import type { Bound } from './route.js';
import { ROUTES } from './routes/index.js';
import { serve } from './serve.js';
import { honoPath, nothingHere } from './unrouted.js';
import { createCompiler } from './validate.js';

export type HttpApp = Hono<HttpEnv>;

/** Makes a value the first time that it is asked for. */
function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

function createDoor(options: HttpOptions): Door {
  const { host, limits, logger, clock, auth, draining, version } = options;
  const document = lazily(() => openApiDocument(ROUTES, version));
  return {
    host,
    limits,
    logger,
    clock,
    auth,
    draining,
    guard: createGuard(options.allowedHosts, options.allowedOrigins),
    metrics: createMetrics(),
    openApiText: lazily(() => JSON.stringify(document())),
    docsPage: lazily(() => docsPage(document())),
  };
}

/**
 * The HTTP door of a service.
 *
 * @returns An app that answers requests in process (`app.request`) and on a socket (`listen`).
 */
export function createHttpApp(options: HttpOptions): HttpApp {
  const door = createDoor(options);
  const compiler = createCompiler(door.limits.violationsMax);
  const app = new Hono<HttpEnv>();
  const handler = (name: string, bound: Bound, count: CountRequest) => (context: Context<HttpEnv>) =>
    serve(door, { name, bound, count }, context, requestIdOf(context.req.raw.headers.get('x-request-id')));

  for (const route of ROUTES) {
    const count = door.metrics.route(route.method, route.path);
    app.on(route.method, honoPath(route.path), handler(route.path, route.bind(compiler), count));
  }
  app.notFound(handler('none', nothingHere(ROUTES), door.metrics.route('any', 'none')));
  return app;
}
