// Routes about the service itself: health, metrics, API description.
import { Type } from 'typebox';
import { ok, fail, type Result } from '../../domain/errors.js';
import { Activity, DoctorReport, Health, JsonRecord, Overview, WhoAmI } from '../../ports/api/index.js';
import type { RequestContext } from '../requests/request-context.js';
import { answered, jsonReply, type Reply } from '../replies/reply.js';
import { endpoint } from '../endpoint.js';
import type { Route } from '../route.js';

const tag = 'Service';
const Text = Type.String();
const DOCS_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

function page(text: string, contentType: string, headers: Readonly<Record<string, string>> = {}) {
  return Promise.resolve(ok({ status: 200, text, headers: { 'content-type': contentType, ...headers } }));
}

async function healthOf({ server }: RequestContext): Promise<Health> {
  if (server.draining()) return { status: 'draining' };
  try {
    const database = await server.host.ready();
    if (database === 'closing') return { status: 'draining' };
    // A coordinator with a slow database goes on: without it, requests would have no other one.
    return { status: database === 'ok' || database === 'slow' ? 'ok' : 'unavailable', database };
  } catch (error) {
    server.logger.warn({ err: error }, 'readiness could not be determined');
    return { status: 'unavailable' };
  }
}

/** With `auth`, the metrics are for operators and tokens, not for sessions. */
async function metricsAnswer(context: RequestContext): Promise<Result<Reply>> {
  const { server } = context;
  if (server.auth) {
    const actor = await context.actor();
    if (!actor.ok) return actor;
    if (actor.value.kind === 'session') return fail('forbidden', 'Sessions may not read the metrics');
  }
  return page(await server.metrics.text(server.host), server.metrics.contentType);
}

export const operationRoutes: readonly Route[] = [
  endpoint({
    method: 'GET',
    path: '/overview',
    operationId: 'overview',
    summary: 'Numbers of all records, by status',
    tag,
    answers: { 200: { description: 'The numbers', schema: Overview } },
    errors: ['forbidden'],
  }).answer(async ({ service }) => answered(200, await service.operations.overview())),
  endpoint({
    method: 'GET',
    path: '/whoami',
    operationId: 'whoAmI',
    summary: 'Whom the service takes the caller for',
    tag,
    answers: { 200: { description: 'The caller', schema: WhoAmI } },
  }).answer(async ({ service }) => answered(200, await service.operations.whoAmI())),
  endpoint({
    method: 'GET',
    path: '/activity',
    operationId: 'activity',
    summary: 'Writes and ended runs of the last hour, minute by minute',
    tag,
    answers: { 200: { description: 'The minutes, the oldest first', schema: Activity } },
    errors: ['forbidden'],
  }).answer(async ({ service }) => answered(200, await service.operations.activity())),
  endpoint({
    method: 'GET',
    path: '/doctor',
    operationId: 'doctor',
    summary: 'Look for what must never be',
    tag,
    answers: { 200: { description: 'The findings', schema: DoctorReport } },
  }).answer(async ({ service }) => answered(200, await service.operations.doctor())),
  endpoint({
    method: 'GET',
    path: '/healthz',
    operationId: 'health',
    summary: 'Whether the process is alive',
    tag,
    answers: { 200: { description: 'It is', schema: Health } },
  }).open(() => Promise.resolve(ok(jsonReply(200, { status: 'ok' } satisfies Health)))),
  endpoint({
    method: 'GET',
    path: '/readyz',
    operationId: 'readiness',
    summary: 'Whether requests can be served',
    tag,
    answers: {
      200: { description: 'They can; with a slow database they take long', schema: Health },
      503: {
        description: 'The service is stopping, or its database is lost or not writable',
        schema: Health,
      },
    },
  }).open(async ({ context }) => {
    const health = await healthOf(context);
    return ok(jsonReply(health.status === 'ok' ? 200 : 503, health));
  }),
  endpoint({
    method: 'GET',
    path: '/metrics',
    operationId: 'metrics',
    summary: 'Numbers for Prometheus; with tokens in use, for operators and tokens only',
    tag,
    answers: { 200: { description: 'The numbers', schema: Text, contentType: 'text/plain' } },
    errors: ['unauthorized', 'forbidden'],
  }).open(({ context }) => metricsAnswer(context)),
  endpoint({
    method: 'GET',
    path: '/openapi.json',
    operationId: 'openapi',
    summary: 'This interface as an OpenAPI 3.1 document',
    tag,
    answers: { 200: { description: 'The document', schema: JsonRecord } },
  }).open(({ context }) => page(context.server.openApiText(), 'application/json')),
  endpoint({
    method: 'GET',
    path: '/docs',
    operationId: 'docs',
    summary: 'This interface as a page to read',
    tag,
    answers: {
      200: {
        description: 'The page',
        schema: Text,
        contentType: 'text/html',
        headers: ['Content-Security-Policy', 'X-Content-Type-Options'],
      },
    },
  }).open(({ context }) =>
    page(context.server.docsPage(), 'text/html; charset=utf-8', {
      'cache-control': 'max-age=300',
      'content-security-policy': DOCS_POLICY,
      'x-content-type-options': 'nosniff',
    }),
  ),
];
