// The HTTP layer as a Hono app. Each route is registered from its definition with its own handler, so that Hono
// calls it directly.
import { lazily } from '../lib/lazily.js';
import { Hono, type Context } from 'hono';
import type { ServerContext, HttpOptions } from './server-context.js';
import { CallerWatch } from './caller-watch.js';
import { dashboardPages, homeOf } from './dashboard/pages.js';
import { docsPage } from './openapi/docs-page.js';
import type { HttpEnv } from './requests/fetch-inbound.js';
import { createGuard } from './guard.js';
import { createMalformedHandler, type RefuseMalformed } from './malformed.js';
import { createMetrics } from './metrics.js';
import { TimeSlices } from '../lib/time-slices.js';
import { EventBytes } from './replies/event-bytes.js';
import { StateReplies } from './replies/state-reply.js';
import { StreamBuffers } from './replies/stream-buffers.js';
import { openApiDocument } from './openapi/document.js';
import { ROUTES } from './routes/index.js';
import { createSocketServer, type SocketServer } from './socket/socket-server.js';
import { serve, type Target } from './serve.js';
import { RequestIds } from './request-ids.js';
import { ReadBudget } from './read-budget.js';
import { createUnparsed, type Unparsed } from './connections/unparsed.js';
import { honoPath, notFound } from './unrouted.js';
import { createCompiler } from './requests/validation/validate.js';

/** Hono's app, and the handlers for input over a socket that Hono cannot route. */
export type HttpApp = Hono<HttpEnv> & {
  readonly refuseMalformed: RefuseMalformed;
  readonly requestIds: RequestIds;
  readonly sockets: SocketServer;
  readonly unparsed: Unparsed;
};

/** Time slice of what readers of streams are sent, in milliseconds: short, since requests wait for its end. */
const STREAM_SLICE_MS = 1;

function createServerContext(options: HttpOptions): ServerContext {
  const { host, limits, logger, clock, auth, draining, version } = options;
  const document = lazily(() => openApiDocument(ROUTES, version));
  const streamBuffers = new StreamBuffers(limits);
  const metrics = createMetrics();
  metrics.observe(
    'stream_buffered_bytes',
    'gauge',
    'Bytes that readers of streams have yet to take.',
    () => streamBuffers.bytes,
  );
  metrics.observe(
    'streams_dropped_total',
    'counter',
    'Readers of streams that were dropped as too slow.',
    () => streamBuffers.dropped,
  );
  return {
    host,
    limits,
    logger,
    clock,
    auth,
    draining,
    callers: new CallerWatch({ host, limits, logger }),
    mcp: options.mcp ?? null,
    guard: createGuard(options.allowedHosts, options.allowedOrigins),
    metrics,
    requestIds: new RequestIds(),
    slices: new TimeSlices(),
    readBudget: new ReadBudget(),
    streamSlices: new TimeSlices(STREAM_SLICE_MS),
    streamBuffers,
    eventBytes: new EventBytes(),
    stateReplies: new StateReplies(host),
    openApiText: lazily(() => JSON.stringify(document())),
    docsPage: lazily(() => docsPage(document())),
  };
}

/**
 * Creates the HTTP server of a service.
 *
 * @returns An app that answers requests in process (`app.request`) and on a socket (`listen`).
 */
export function createHttpApp(options: HttpOptions): HttpApp {
  const server = createServerContext(options);
  const compiler = createCompiler(server.limits.violationsMax);
  const app = new Hono<HttpEnv>();
  const handler = (target: Target) => (context: Context<HttpEnv>) => serve(server, target, context);
  for (const route of ROUTES) {
    const { method, path, access } = route;
    const target = {
      name: path,
      bound: route.bind(compiler),
      // A GET that removes what it returns counts as a change (see `head`).
      changes: method !== 'GET' || route.head === false,
      count: server.metrics.route(method, path),
      urgent: access === 'open',
    };
    app.on(method, honoPath(path), handler(target));
  }
  const unrouted = {
    name: 'none',
    bound: notFound(ROUTES, homeOf(options.dashboard)),
    changes: false,
    count: server.metrics.route('any', 'none'),
    urgent: false,
  };
  for (const { path, bound } of dashboardPages(options.dashboard, unrouted.bound)) {
    const count = server.metrics.route('GET', path);
    app.get(path, handler({ name: path, bound, changes: false, count, urgent: false }));
  }
  app.notFound(handler(unrouted));
  return Object.assign(app, {
    refuseMalformed: createMalformedHandler(server, unrouted),
    requestIds: server.requestIds,
    sockets: createSocketServer(server, compiler),
    unparsed: createUnparsed(server, unrouted.count),
  });
}
