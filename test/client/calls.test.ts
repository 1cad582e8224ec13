// Every call of the client against every operation of the OpenAPI document, and every type against its schema.
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { Static, TSchema } from 'typebox';
import type * as client from '../../src/client/index.js';
import type { Components, CountersignService } from '../../src/client/index.js';
import { clientOver } from '../../src/client/client-over.js';
import type { Call } from '../../src/client/transport/call.js';
import type { Transport } from '../../src/client/transport/transport.js';
import { ok } from '../../src/domain/errors.js';
import { openApiDocument, ROUTES } from '../../src/http/index.js';
import { createCompiler } from '../../src/http/requests/validation/validate.js';
import type { Route } from '../../src/http/route.js';
import * as api from '../../src/ports/api/index.js';
import { COMPONENTS } from '../../src/ports/api/components.js';

/** What programs and people ask for that are no clients of the API, by its path. */
const EXEMPT: ReadonlySet<string> = new Set([
  '/docs',
  '/healthz',
  '/mcp',
  '/metrics',
  '/openapi.json',
  '/readyz',
]);

type Groups = { readonly [G in keyof CountersignService]: keyof CountersignService[G] };
type Name = { [G in keyof Groups]: `${G}.${Groups[G] & string}` }[keyof Groups];

const lease = { runner_id: 'rnr_1', attempt: 1, lease_token: 'secret' };
const reason = { reason: 'because' };

/** One way to make each call; several where it has several forms. */
const CALLS: Readonly<Record<Name, (service: CountersignService) => readonly unknown[]>> = {
  'schemas.register': ({ schemas }) => [schemas.register({ name: 'plan', json_schema: { type: 'object' } })],
  'schemas.tryRegister': ({ schemas }) => [
    schemas.tryRegister({ name: 'plan', json_schema: { type: 'object' } }),
  ],
  'schemas.list': ({ schemas }) => [schemas.list({ name: 'plan', limit: 5 })],
  'schemas.get': ({ schemas }) => [schemas.get('plan', 2)],
  'schemas.validate': ({ schemas }) => [
    schemas.validate('plan', { a: 1 }),
    schemas.validate('plan', null, 2),
  ],
  'schemas.versions': ({ schemas }) => [schemas.versions('plan', { limit: 5 })],
  'schemas.remove': ({ schemas }) => [schemas.remove('plan', 2)],
  'states.create': ({ states }) => [states.create({ schema_name: 'plan', initial_data: {} })],
  'states.list': ({ states }) => [states.list({ include: 'data' })],
  'states.get': ({ states }) => [
    states.get('sta_1', 4),
    states.get('sta_1', undefined, { afterVersion: 4, waitMs: 5 }),
  ],
  'states.getAt': ({ states }) => [states.getAt('sta_1', '/a', 4)],
  'states.wait': ({ states }) => [states.wait('sta_1', { until: true, fail_on: false, timeout_ms: 5 })],
  'states.replace': ({ states }) => [
    states.replace('sta_1', {}, { expectedVersion: 1, dryRun: true }),
    states.replace('sta_1', {}, { baseVersion: 'last_read', onConflict: 'merge' }),
  ],
  'states.patch': ({ states }) => [states.patch('sta_1', [], { baseVersion: 1 })],
  'states.mergePatch': ({ states }) => [
    states.mergePatch('sta_1', {}, { baseVersion: 1, onConflict: 'reject' }),
  ],
  'states.migrate': ({ states }) => [states.migrate('sta_1', { schema_version: 2 }, { expectedVersion: 1 })],
  'states.ops': ({ states }) => [states.ops('sta_1', [], { expectedVersion: 1 })],
  'states.diff': ({ states }) => [states.diff('sta_1', { from: 1, to: 2 })],
  'states.revert': ({ states }) => [states.revert('sta_1', 1, { expectedVersion: 2 })],
  'states.events': ({ states }) => [states.events('sta_1', { since: 1, limit: 5 })],
  'states.remove': ({ states }) => [states.remove('sta_1')],
  'keys.open': ({ keys }) => [keys.open('ses_1', { initial_state: {} })],
  'keys.all': ({ keys }) => [keys.all('ses_1')],
  'keys.get': ({ keys }) => [keys.get('ses_1', 'k')],
  'keys.set': ({ keys }) => [
    keys.set('ses_1', 'k', 1, { ifMatch: 1, baseVersion: 'last_read', onConflict: 'merge' }),
  ],
  'keys.remove': ({ keys }) => [keys.remove('ses_1', 'k', {})],
  'keys.operate': ({ keys }) => [keys.operate('ses_1', 'k', { operation: 'increment', delta: 1 }, {})],
  'keys.batch': ({ keys }) => [keys.batch('ses_1', { operations: [{ op: 'delete', key: 'k' }] })],
  'keys.events': ({ keys }) => [keys.events('ses_1', { since: 1, limit: 5 })],
  'keys.append': ({ keys }) => [keys.append('ses_1', { type: 'delete', key: 'k' })],
  'workflow.show': ({ workflow }) => [workflow.show('sta_1')],
  'workflow.startInvocation': ({ workflow }) => [
    workflow.startInvocation('sta_1', { agent: 'analyst', prompt: 'look' }),
  ],
  'workflow.completeInvocation': ({ workflow }) => [
    workflow.completeInvocation('sta_1', 'inv_1', { status: 'completed', summary: 'done' }),
  ],
  'workflow.addDecision': ({ workflow }) => [
    workflow.addDecision('sta_1', {
      type: 'technical',
      description: 'use a queue',
      rationale: 'order',
      decided_by: 'architect',
    }),
  ],
  'workflow.approveDecision': ({ workflow }) => [
    workflow.approveDecision('sta_1', 'dec_1', { agent: 'critic' }),
  ],
  'workflow.rejectDecision': ({ workflow }) => [
    workflow.rejectDecision('sta_1', 'dec_1', { agent: 'critic' }),
  ],
  'workflow.addVerdict': ({ workflow }) => [
    workflow.addVerdict('sta_1', {
      agent: 'critic',
      decision: 'approve',
      confidence: 0.9,
      reasoning: 'it holds',
    }),
  ],
  'workflow.handOff': ({ workflow }) => [
    workflow.handOff('sta_1', { from_agent: 'a', to_agent: 'b', reason: 'r', context: 'c' }),
  ],
  'workflow.setPhase': ({ workflow }) => [workflow.setPhase('sta_1', { phase: 'validation' })],
  'workflow.setMode': ({ workflow }) => [workflow.setMode('sta_1', { mode: 'coding' })],
  'workflow.addEvidence': ({ workflow }) => [
    workflow.addEvidence('sta_1', { protocol: 'start', evidence: { context: 'read' } }),
  ],
  'workflow.compact': ({ workflow }) => [workflow.compact('sta_1', { keep: 0 })],
  'workflow.archive': ({ workflow }) => [workflow.archive('sta_1', 'arc_1')],
  'sessions.create': ({ sessions }) => [sessions.create({ session_name: 'root' })],
  'sessions.list': ({ sessions }) => [sessions.list({ status: 'running' })],
  'sessions.get': ({ sessions }) => [sessions.get('ses_1')],
  'sessions.tree': ({ sessions }) => [sessions.tree('ses_1')],
  'sessions.result': ({ sessions }) => [sessions.result('ses_1')],
  'sessions.state': ({ sessions }) => [sessions.state('ses_1')],
  'sessions.remove': ({ sessions }) => [sessions.remove('ses_1')],
  'sessions.report': ({ sessions }) => [sessions.report('ses_1', { type: 'session_start' })],
  'sessions.stop': ({ sessions }) => [sessions.stop('ses_1', reason)],
  'sessions.completions': ({ sessions }) => [sessions.completions({ status: 'pending' })],
  'sessions.completion': ({ sessions }) => [sessions.completion('ses_1')],
  'sessions.skip': ({ sessions }) => [sessions.skip('ses_1', reason)],
  'sessions.retry': ({ sessions }) => [sessions.retry('ses_1', reason)],
  'sessions.pullCallbacks': ({ sessions }) => [sessions.pullCallbacks('ses_1', 5)],
  'callbacks.list': ({ callbacks }) => [callbacks.list({ status: 'dead' })],
  'callbacks.acknowledge': ({ callbacks }) => [callbacks.acknowledge('cbk_1')],
  'callbacks.redeliver': ({ callbacks }) => [callbacks.redeliver('cbk_1', reason)],
  'agents.list': ({ agents }) => [agents.list({ limit: 5 })],
  'agents.get': ({ agents }) => [agents.get('reviewer')],
  'runs.create': ({ runs }) => [runs.create({ type: 'start_session', prompt: 'go' })],
  'runs.list': ({ runs }) => [runs.list({ status: 'running', session: 'ses_1' })],
  'runs.get': ({ runs }) => [runs.get('run_1')],
  'runs.stop': ({ runs }) => [runs.stop('run_1', reason)],
  'runners.register': ({ runners }) => [runners.register({ hostname: 'here', executor_types: ['command'] })],
  'runners.list': ({ runners }) => [runners.list({ limit: 2 })],
  'runners.remove': ({ runners }) => [runners.remove('rnr_1')],
  'runners.poll': ({ runners }) => [runners.poll({ runnerId: 'rnr_1', waitMs: 5, capacity: 1 })],
  'runners.heartbeat': ({ runners }) => [runners.heartbeat({ runner_id: 'rnr_1', runs: [] })],
  'runners.started': ({ runners }) => [runners.started('run_1', lease)],
  'runners.completed': ({ runners }) => [runners.completed('run_1', lease)],
  'runners.failed': ({ runners }) => [runners.failed('run_1', { ...lease, error: 'broken' })],
  'runners.stopped': ({ runners }) => [runners.stopped('run_1', lease)],
  'hooks.answer': ({ hooks }) => [
    hooks.answer('gemini', { hook_event_name: 'AfterAgent', session_id: 'x' }),
    hooks.answer(
      'codex',
      { hook_event_name: 'Stop', session_id: 'x' },
      {
        session: 'a',
        refusalsMax: 3,
        waitMs: 5,
        agents: ['b', 'c'],
        url: 'http://127.0.0.1:4717',
        invocation: 'i',
        within: ['w', 'x'],
      },
    ),
  ],
  'webhooks.create': ({ webhooks }) => [
    webhooks.create({ url: 'https://hooks.example/', events: ['workflow_state_updated'] }),
  ],
  'webhooks.list': ({ webhooks }) => [webhooks.list({ limit: 5 })],
  'webhooks.get': ({ webhooks }) => [webhooks.get('whk_1')],
  'webhooks.remove': ({ webhooks }) => [webhooks.remove('whk_1')],
  'webhooks.enable': ({ webhooks }) => [webhooks.enable('whk_1')],
  'webhooks.disable': ({ webhooks }) => [webhooks.disable('whk_1', reason)],
  'webhooks.deliveries': ({ webhooks }) => [webhooks.deliveries('whk_1', { limit: 5 })],
  'webhooks.redeliver': ({ webhooks }) => [webhooks.redeliver('whk_1', 'dlv_1', reason)],
  'streams.state': ({ streams }) => [streams.state('sta_1', { snapshot: true, after: '3' })],
  'streams.all': ({ streams }) => [streams.all({ rootSession: 'ses_1', stateId: 'sta_1' }, {})],
  'operations.whoAmI': ({ operations }) => [operations.whoAmI()],
  'operations.activity': ({ operations }) => [operations.activity()],
  'operations.overview': ({ operations }) => [operations.overview()],
  'operations.doctor': ({ operations }) => [operations.doctor()],
};

interface Sent {
  readonly call: Call;
  /** Of the answer; `null` where there is none, `undefined` where the call reads it by itself. */
  readonly schema: TSchema | null | undefined;
}

/** Every member that any answer has to have. */
const anything = Object.fromEntries(
  Object.values(api).flatMap((schema) =>
    'required' in schema && Array.isArray(schema.required) ? schema.required.map((name) => [name, []]) : [],
  ),
);

async function sentBy(name: Name): Promise<readonly Sent[]> {
  const sent: Sent[] = [];
  const transport: Transport = {
    signal: undefined,
    sendRequest: (call) => {
      sent.push({ call, schema: undefined });
      return Promise.resolve(ok({ status: 200, body: anything, headers: new Headers() }));
    },
    send: (schema, call) => {
      sent.push({ call, schema });
      return Promise.resolve(ok(anything as Static<typeof schema>));
    },
    sendForNothing: (call) => {
      sent.push({ call, schema: null });
      return Promise.resolve(ok(null));
    },
    open: (call) => {
      sent.push({ call, schema: undefined });
      return Promise.resolve(ok({ body: new ReadableStream(), close: () => undefined }));
    },
  };
  await Promise.all(CALLS[name](clientOver(transport)));
  return sent;
}

function routeOf({ method, path }: Call): Route {
  const fits = (route: Route) => {
    const parts = route.path.split('/').slice(1);
    return (
      route.method === method &&
      parts.length === path.length &&
      parts.every((part, at) => part.startsWith('{') || part === path[at])
    );
  };
  const found = ROUTES.filter(fits).sort((a, b) => a.path.split('{').length - b.path.split('{').length)[0];
  if (found === undefined) throw new Error(`No operation ${method} /${path.join('/')}`);
  return found;
}

const names = Object.keys(CALLS) as Name[];
const text = (value: unknown) => JSON.stringify(value);

describe('the client', () => {
  it('reaches every operation of the API', async () => {
    const sent = (await Promise.all(names.map(sentBy))).flat();
    const reached = new Set(sent.map(({ call }) => routeOf(call).operationId));
    const missed = ROUTES.filter(({ operationId, path }) => !reached.has(operationId) && !EXEMPT.has(path));
    expect(missed.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
    for (const path of EXEMPT) expect(ROUTES.map((route) => route.path)).toContain(path);
  });

  it('has no call beside those that are made here', () => {
    const service = clientOver({} as Transport);
    const all = Object.entries(service).flatMap(([group, calls]) =>
      Object.keys(calls as object).map((name) => `${group}.${name}`),
    );
    expect(all.sort()).toEqual([...names].sort());
  });

  describe.each(names)('%s', (name) => {
    it('asks and is answered as the OpenAPI document has it', async () => {
      const sent = await sentBy(name);
      expect(sent.length).toBeGreaterThan(0);
      for (const { call, schema } of sent) {
        const route = routeOf(call);
        const known = Object.keys((route.query as { properties?: object }).properties ?? {});
        const asked = Object.entries(call.query ?? {}).filter(([, value]) => value !== undefined);
        expect(known).toEqual(expect.arrayContaining(asked.map(([member]) => member)));
        const type = call.contentType ?? 'application/json';
        const body = route.bodies.find(({ contentType }) => contentType === type);
        expect(call.body !== undefined).toBe(body !== undefined);
        if (body !== undefined) {
          const value: unknown = JSON.parse(text(call.body));
          expect(createCompiler(10).body(body.schema)(value, 1)).toMatchObject({ ok: true });
        }
        const answers = Object.entries(route.answers).filter(([status]) => status.startsWith('2'));
        const forms = answers.flatMap(([, one]) => [
          ...(one.anyOf ?? []),
          ...(one.schema ? [one.schema] : []),
        ]);
        if (schema === null) expect(forms).toEqual([]);
        else if (schema !== undefined) expect(forms.map(text)).toContain(text(schema));
      }
    });
  });
});

describe('the types of the client', () => {
  const document: any = openApiDocument(ROUTES, '1');

  it('are those of the schemas of the OpenAPI document, name by name', () => {
    const named = Object.keys(document.components.schemas);
    expect(named).toEqual(expect.arrayContaining(Object.keys(COMPONENTS)));
    expectTypeOf<keyof Components>().toEqualTypeOf<keyof typeof COMPONENTS>();
    expectTypeOf<Components['Run']>().toEqualTypeOf<Static<(typeof COMPONENTS)['Run']>>();
  });

  it('have the same under the names that the calls use', () => {
    expectTypeOf<Components['Schema']>().toEqualTypeOf<client.SchemaView>();
    expectTypeOf<Components['State']>().toEqualTypeOf<client.StateEnvelope>();
    expectTypeOf<Components['StateWritten']>().toEqualTypeOf<client.StateWritten>();
    expectTypeOf<Components['StateWaited']>().toEqualTypeOf<client.StateWaited>();
    expectTypeOf<Components['Event']>().toEqualTypeOf<client.EventView>();
    expectTypeOf<Components['Session']>().toEqualTypeOf<client.SessionView>();
    expectTypeOf<Components['Completion']>().toEqualTypeOf<client.CompletionView>();
    expectTypeOf<Components['Callback']>().toEqualTypeOf<client.CallbackView>();
    expectTypeOf<Components['Run']>().toEqualTypeOf<client.RunView>();
    expectTypeOf<Components['Runner']>().toEqualTypeOf<client.RunnerView>();
    expectTypeOf<Components['Webhook']>().toEqualTypeOf<client.WebhookView>();
    expectTypeOf<Components['Delivery']>().toEqualTypeOf<client.DeliveryView>();
    expectTypeOf<Components['Key']>().toEqualTypeOf<client.KeyView>();
  });

  it('are what the calls give', () => {
    type Cs = client.Countersign;
    expectTypeOf<Cs['runs']['get']>().returns.resolves.toEqualTypeOf<Components['Run']>();
    expectTypeOf<Cs['states']['replace']>().returns.resolves.toEqualTypeOf<Components['StateWritten']>();
    expectTypeOf<Cs['sessions']['get']>().returns.resolves.toEqualTypeOf<Components['Session']>();
    expectTypeOf<Cs['runs']['create']>().parameter(0).toEqualTypeOf<Components['RunCreate']>();
  });
});
