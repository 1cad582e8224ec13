// Every request that takes an Idempotency-Key, for tests that repeat it: what it needs, and what may happen afterwards.
import { eventually } from '../../support/eventually.js';
import { must, PlayedRunner, type Harness } from '../harness.js';

export type Send = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<{ status: number; text: string; body: Record<string, any> }>;

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

export interface Keyed {
  readonly operationId: string;
  /** @returns The request. It may be one that is refused until `ready` has run. */
  readonly prepare: (h: Harness, send: Send) => Promise<Request> | Request;
  /** Takes away why the request is refused. Absent: the request needs an id that the service makes. */
  readonly ready?: (h: Harness, send: Send, request: Request) => Promise<unknown>;
  /** What others do after the request, so that the same request has another result, or is refused. */
  readonly afterwards: (h: Harness, send: Send, request: Request) => Promise<unknown>;
}

/** Not refused by what others can change. */
export const READS = ['validateDocument', 'waitForState'];

const STATE = '/workflow-states';
const RECORD = { agent: 'a', prompt: 'p' };

const root = async ({ operator }: Harness, session_name = 'root') =>
  must(await operator.sessions.create({ session_name, external: true }));

async function plan({ operator }: Harness): Promise<void> {
  must(await operator.schemas.register({ name: 'plan', json_schema: { type: 'object' } }));
}

async function state(h: Harness, session = 'root'): Promise<string> {
  await plan(h);
  await root(h, session);
  const body = { schema_name: 'plan', initial_data: { n: 0, list: [1] }, root_session_name: session };
  return must(await h.operator.states.create(body)).state_id;
}

const increment = async ({ operator }: Harness, stateId: string) =>
  must(await operator.states.ops(stateId, [{ op: 'increment', pointer: '/n', delta: 1 }], {}));

const stateOf = ({ path }: Request) => path.split('/')[2]?.split('?')[0] ?? '';

/** A write of the whole state, refused at version 1 and taken at version 2. */
function write(operationId: string, method: string, tail: string, body?: unknown): Keyed {
  return {
    operationId,
    prepare: async (h) => ({
      method,
      path: `${STATE}/${await state(h)}${tail}`,
      body,
      headers: { 'if-match': '"2"' },
    }),
    ready: (h, _, request) => increment(h, stateOf(request)),
    afterwards: async (h, _, request) => {
      if (method === 'DELETE') return state(h, 'next');
      must(
        await h.operator.schemas.register({ name: 'plan', json_schema: { type: 'object', title: 'new' } }),
      );
      return increment(h, stateOf(request));
    },
  };
}

/** A write of keys, refused while the tree has no state. */
function keys(operationId: string, method: string, tail: string, body?: unknown): Keyed {
  return {
    operationId,
    prepare: async (h) => {
      await plan(h);
      await root(h);
      return { method, path: `/sessions/root/state${tail}`, body };
    },
    ready: async ({ operator }) =>
      must(await operator.keys.open('root', { initial_state: { n: 0, list: [1] } })),
    // The session's name is that of another tree, with another state.
    afterwards: async (h) => {
      must(await h.operator.keys.set('root', 'n', 9, {}));
      const { session_id: id } = must(await h.operator.sessions.get('root'));
      must(await h.operator.sessions.remove(id));
      await root(h);
      must(await h.operator.keys.open('root', { initial_state: { n: 5, list: [], z: 1 } }));
    },
  };
}

/** A write of a workflow record, refused while the state is on a schema without one. */
function record(
  operationId: string,
  method: string,
  tail: string,
  body: unknown,
  needs: (h: Harness, stateId: string) => Promise<unknown> = () => Promise.resolve(),
): Keyed {
  return {
    operationId,
    prepare: async (h) => ({ method, path: `${STATE}/${await state(h)}/workflow/${tail}`, body }),
    ready: async (h, _, request) => {
      const id = stateOf(request);
      await root(h, 'model');
      const made = { schema_name: 'orchestrator-workflow', initial_data: {}, root_session_name: 'model' };
      const model = must(await h.operator.states.create(made));
      const { json_schema } = must(await h.operator.schemas.get('orchestrator-workflow'));
      must(await h.operator.schemas.register({ name: 'plan', json_schema: json_schema }));
      const operations = [{ op: 'replace' as const, path: '', value: model.current_data }];
      must(await h.operator.states.migrate(id, { schema_version: 2, operations }, {}));
      await needs(h, id);
    },
    afterwards: async (h, _, request) =>
      must(await h.operator.workflow.startInvocation(stateOf(request), { agent: 'later', prompt: 'x' })),
  };
}

const begun = async ({ operator }: Harness, stateId: string) =>
  must(await operator.workflow.startInvocation(stateId, { ...RECORD, invocation_id: 'inv_given' }));
const DECISION = { type: 'technical', description: 'd', rationale: 'r', decided_by: 'a' } as const;
const decided = async ({ operator }: Harness, stateId: string) =>
  must(await operator.workflow.addDecision(stateId, { ...DECISION, id: 'dec_given' }));

/** A request about a session, refused while nobody has its name. */
function session(
  operationId: string,
  method: string,
  tail: string,
  body?: unknown,
  needs: (h: Harness) => Promise<unknown> = () => Promise.resolve(),
): Keyed {
  return {
    operationId,
    prepare: async (h) => {
      await state(h);
      return { method, path: `/sessions/late${tail}`, body };
    },
    ready: async (h) => {
      const late = { session_name: 'late', parent_session_name: 'root', external: true, callback: true };
      must(await h.operator.sessions.create({ ...late, completion: { mode: 'always' } }));
      await needs(h);
    },
    // Its name is that of another session.
    afterwards: async (h) => {
      if (method !== 'DELETE') {
        await h.operator.sessions.skip('late', {});
        must(await h.operator.sessions.remove('late'));
      }
      must(await h.operator.sessions.create({ session_name: 'late', external: true }));
    },
  };
}

const stopped = async ({ operator }: Harness) =>
  must(await operator.sessions.report('late', { type: 'session_stop', result_text: 'ok' }));

/** A request about a callback of a child, refused in one status and taken in another. */
async function callback(h: Harness): Promise<string> {
  await root(h);
  const child = { session_name: 'kid', parent_session_name: 'root', external: true, callback: true };
  must(await h.operator.sessions.create(child));
  must(await h.operator.sessions.report('kid', { type: 'session_stop', result_text: 'ok' }));
  return must(await h.operator.callbacks.list({})).items[0]?.callback_id ?? '';
}
const pulled = async ({ operator }: Harness) => must(await operator.sessions.pullCallbacks('root', 0));
const withoutFamily = async ({ operator }: Harness) => {
  must(await operator.sessions.remove('kid'));
  await operator.sessions.skip('root', {});
};

async function webhook(h: Harness): Promise<string> {
  const body = { url: 'http://127.0.0.1:9/', events: ['workflow_state_updated' as const] };
  return must(await h.operator.webhooks.create(body)).webhook_id;
}
/** The delivery of a webhook, whose receiver is not there. */
const attempted = ({ operator }: Harness, id: string, attempts: number) =>
  eventually(`attempt ${String(attempts)} is over`, async () => {
    const [delivery] = must(await operator.webhooks.deliveries(id, {})).items;
    return delivery?.attempts.length === attempts && delivery;
  });

/** A request about a webhook, which somebody then removes. */
function ofWebhook(operationId: string, method: string, tail: string, body?: unknown): Keyed {
  return {
    operationId,
    prepare: async (h) => ({ method, path: `/webhooks/${await webhook(h)}${tail}`, body }),
    afterwards: async (h, _, { path }) => {
      const id = path.split('/')[2] ?? '';
      return method === 'DELETE' ? webhook(h) : must(await h.operator.webhooks.remove(id));
    },
  };
}

/** A report of a run that a runner has. Afterwards the session is gone. */
function report(verb: 'Started' | 'Completed' | 'Failed' | 'Stopped', more: object): Keyed {
  return {
    operationId: `reportRun${verb}`,
    prepare: async (h) => {
      must(await h.operator.runs.create({ type: 'start_session', session_name: 'job', prompt: 'p' }));
      const runner = await PlayedRunner.register(h);
      const [run] = await runner.claim();
      if (run === undefined) throw new Error('no run waits');
      if (verb !== 'Started') await runner.start(run);
      const path = `/runner/runs/${run.run_id}/${verb.toLowerCase()}`;
      return { method: 'POST', path, body: { ...runner.lease(run), ...more } };
    },
    afterwards: async (h) => must(await h.operator.sessions.stop('job', { reason: 'enough' })),
  };
}

export const KEYED: readonly Keyed[] = [
  {
    operationId: 'registerSchema',
    prepare: async ({ operator }) => {
      const json_schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
      must(await operator.schemas.register({ name: 'x', json_schema, compatibility: 'backward' }));
      const body = { name: 'x', json_schema: { type: 'object', properties: { a: { type: 'integer' } } } };
      return { method: 'POST', path: '/workflow-schemas', body };
    },
    ready: async ({ operator }) =>
      must(
        await operator.schemas.register({
          name: 'x',
          json_schema: { type: 'object' },
          compatibility: 'none',
        }),
      ),
    afterwards: async ({ operator }) =>
      must(await operator.schemas.register({ name: 'x', json_schema: { type: 'object', title: 'newest' } })),
  },
  {
    operationId: 'deleteSchemaVersion',
    prepare: () => ({ method: 'DELETE', path: '/workflow-schemas/plan/versions/1' }),
    ready: plan,
    afterwards: plan,
  },
  {
    operationId: 'validateDocument',
    prepare: async (h) => {
      await plan(h);
      return { method: 'POST', path: '/workflow-schemas/plan/validate', body: { data: {} } };
    },
    afterwards: () => Promise.resolve(),
  },
  {
    operationId: 'createState',
    prepare: () => ({
      method: 'POST',
      path: STATE,
      body: { schema_name: 'orchestrator-workflow', initial_data: {}, root_session_name: 'late' },
    }),
    ready: (h) => root(h, 'late'),
    afterwards: async (h) => {
      const { json_schema } = must(await h.operator.schemas.get('orchestrator-workflow'));
      const newer = {
        name: 'orchestrator-workflow',
        json_schema: { ...json_schema, title: 'new' },
      };
      must(await h.operator.schemas.register(newer));
      h.clock.advance(1000);
      const [{ state_id } = { state_id: '' }] = must(await h.operator.states.list({})).items;
      must(await h.operator.states.mergePatch(state_id, { phase: 'EXECUTING' }, {}));
    },
  },
  write('replaceState', 'PUT', '', { data: { n: 1 } }),
  write('patchState', 'PATCH', '', { operations: [{ op: 'add', path: '/b', value: 2 }] }),
  write('deleteState', 'DELETE', ''),
  write('operateOnState', 'POST', '/ops', { operations: [{ op: 'increment', pointer: '/n', delta: 1 }] }),
  write('revertState', 'POST', '/revert', { to_version: 1 }),
  {
    operationId: 'migrateState',
    // A migration that changes nothing.
    ...(({ operationId: _, ...same }) => same)(write('', 'POST', '/migrate', { schema_version: 1 })),
    afterwards: async (h, _, request) => {
      must(
        await h.operator.schemas.register({ name: 'plan', json_schema: { type: 'object', title: 'new' } }),
      );
      must(await h.operator.states.migrate(stateOf(request), { schema_version: 2 }, {}));
    },
  },
  {
    operationId: 'waitForState',
    prepare: async (h) => {
      const path = `${STATE}/${await state(h)}/wait`;
      return { method: 'POST', path, body: { until: {}, timeout_ms: 1 } };
    },
    afterwards: () => Promise.resolve(),
  },
  {
    operationId: 'openKeyState',
    prepare: () => ({ method: 'POST', path: '/sessions/late/state', body: { initial_state: { a: 1 } } }),
    ready: (h) => root(h, 'late'),
    afterwards: async ({ operator }) => must(await operator.keys.set('late', 'a', 2, {})),
  },
  keys('setKey', 'PUT', '/keys/new', { value: 5 }),
  keys('deleteKey', 'DELETE', '/keys/list'),
  keys('operateOnKey', 'POST', '/keys/n/ops', { operation: 'increment', delta: 1 }),
  keys('writeKeys', 'POST', '/batch', { operations: [{ op: 'set', key: 'z', value: 2 }] }),
  keys('appendKeyEvent', 'POST', '/events', { type: 'append', key: 'list', items: [2] }),
  record('startInvocation', 'POST', 'invocations', RECORD),
  record(
    'completeInvocation',
    'POST',
    'invocations/inv_given/completion',
    { status: 'completed', summary: 's' },
    begun,
  ),
  record('addDecision', 'POST', 'decisions', DECISION),
  record('approveDecision', 'POST', 'decisions/dec_given/approvals', { agent: 'b' }, decided),
  record('rejectDecision', 'POST', 'decisions/dec_given/rejections', { agent: 'b' }, decided),
  record('addVerdict', 'POST', 'verdicts', {
    agent: 'a',
    decision: 'approve',
    confidence: 1,
    reasoning: 'r',
  }),
  record('handOff', 'POST', 'handoffs', { from_agent: 'a', to_agent: 'b', reason: 'r', context: 'c' }),
  record('setPhase', 'PUT', 'phase', { phase: 'implementation' }),
  record('setMode', 'PUT', 'mode', { mode: 'default', reason: 'r' }),
  record('addEvidence', 'POST', 'evidence', { protocol: 'start', evidence: { k: 'v' } }),
  record('compactWorkflow', 'POST', 'compact', { keep: 0 }, async (h, id) => {
    await begun(h, id);
    must(
      await h.operator.workflow.completeInvocation(id, 'inv_given', { status: 'completed', summary: 's' }),
    );
  }),
  {
    operationId: 'createSession',
    prepare: () => ({
      method: 'POST',
      path: '/sessions',
      body: { session_name: 'kid', parent_session_name: 'root', external: true },
    }),
    ready: (h) => root(h),
    afterwards: async (h) => {
      must(await h.operator.keys.open('root', { initial_state: {} }));
      must(await h.operator.sessions.remove('kid'));
    },
  },
  session('deleteSession', 'DELETE', '', undefined, async ({ operator }) =>
    must(await operator.sessions.skip('late', {})),
  ),
  session('reportSessionEvent', 'POST', '/events', { type: 'session_start' }),
  session('stopSession', 'POST', '/stop', { reason: 'x' }),
  session('skipCompletion', 'POST', '/completion/skip', {}, stopped),
  session('retryCompletion', 'POST', '/completion/retry', {}, async (h) => {
    await stopped(h);
    must(await h.operator.sessions.skip('late', {}));
  }),
  {
    operationId: 'createRun',
    prepare: () => ({
      method: 'POST',
      path: '/runs',
      body: { type: 'start_session', session_id: 'ses_given', prompt: 'p', parent_session_name: 'root' },
    }),
    ready: (h) => root(h),
    afterwards: async ({ operator }) => must(await operator.sessions.stop('ses_given')),
  },
  {
    operationId: 'stopRun',
    prepare: async ({ operator }) => {
      const run = must(
        await operator.runs.create({ type: 'start_session', session_name: 'job', prompt: 'p' }),
      );
      return { method: 'POST', path: `/runs/${run.run_id}/stop`, body: { reason: 'x' } };
    },
    afterwards: async ({ operator }) => must(await operator.sessions.remove('job')),
  },
  {
    operationId: 'registerRunner',
    prepare: () => ({
      method: 'POST',
      path: '/runner/register',
      body: { hostname: 'h', executor_types: ['command'] },
    }),
    afterwards: async ({ operator }) => {
      for (const one of must(await operator.runners.list()).items)
        must(await operator.runners.remove(one.runner_id));
    },
  },
  {
    operationId: 'deleteRunner',
    prepare: async (h) => {
      const { runnerId } = await PlayedRunner.register(h);
      return { method: 'DELETE', path: `/runners/${runnerId}` };
    },
    afterwards: (h) => PlayedRunner.register(h),
  },
  {
    operationId: 'heartbeat',
    prepare: async (h) => {
      const { runnerId } = await PlayedRunner.register(h);
      return { method: 'POST', path: '/runner/heartbeat', body: { runner_id: runnerId, runs: [] } };
    },
    afterwards: async ({ operator }, _, { body }) =>
      must(await operator.runners.remove((body as { runner_id: string }).runner_id)),
  },
  report('Started', { executor_type: 'command' }),
  report('Completed', { result_text: 'done' }),
  report('Failed', { error: 'no' }),
  report('Stopped', {}),
  {
    operationId: 'acknowledgeCallback',
    prepare: async (h) => ({ method: 'POST', path: `/callbacks/${await callback(h)}/ack` }),
    ready: pulled,
    afterwards: withoutFamily,
  },
  {
    operationId: 'redeliverCallback',
    prepare: async (h) => ({ method: 'POST', path: `/callbacks/${await callback(h)}/redeliver`, body: {} }),
    ready: pulled,
    afterwards: withoutFamily,
  },
  {
    operationId: 'createWebhook',
    prepare: () => ({
      method: 'POST',
      path: '/webhooks',
      body: { url: 'http://127.0.0.1:9/', events: ['run_updated'], root_session: 'late' },
    }),
    ready: (h) => root(h, 'late'),
    afterwards: async ({ operator }) => {
      for (const one of must(await operator.webhooks.list({})).items)
        must(await operator.webhooks.remove(one.webhook_id));
    },
  },
  ofWebhook('deleteWebhook', 'DELETE', ''),
  ofWebhook('disableWebhook', 'POST', '/disable', {}),
  ofWebhook('enableWebhook', 'POST', '/enable'),
  {
    operationId: 'redeliverWebhookDelivery',
    prepare: async (h) => {
      const id = await webhook(h);
      await increment(h, await state(h));
      const { delivery_id } = await attempted(h, id, 1);
      return { method: 'POST', path: `/webhooks/${id}/deliveries/${delivery_id}/redeliver` };
    },
    ready: (h) => {
      h.tamper(`update webhook_deliveries set status = 'dead', ended_at = 1`);
      return Promise.resolve();
    },
    afterwards: async (h, _, { path }) => {
      const id = path.split('/')[2] ?? '';
      await attempted(h, id, 2);
      must(await h.operator.webhooks.remove(id));
    },
  },
];
