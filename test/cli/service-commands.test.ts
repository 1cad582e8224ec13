import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/index.js';
import { problem, startHttpDouble, type Asked, type HttpDouble, type Reply } from '../client/http-double.js';
import {
  agent,
  callback,
  entry,
  workflow,
  workflowArchive,
  completion,
  delivery,
  activity,
  caller,
  overview,
  page,
  run,
  schema,
  session,
  state,
  webhook,
} from './answers.js';
import { cli, type Around } from './io-double.js';

const dir = mkdtempSync(join(tmpdir(), 'countersign-cli-'));
const doubles: HttpDouble[] = [];
afterEach(async () => {
  await Promise.all(doubles.splice(0).map((double) => double.close()));
});

/** Runs a command against a service that answers so. */
async function ask(argv: string[], answer: Reply | ((asked: Asked) => Reply), around: Around = {}) {
  const double = await startHttpDouble(typeof answer === 'function' ? answer : () => answer);
  doubles.push(double);
  const ran = await cli(argv, { ...around, env: { COUNTERSIGN_URL: double.url, ...around.env } });
  const requests = double.asked.map(
    ({ method, url, body }) => `${method} ${url}${body === '' ? '' : ` ${body}`}`,
  );
  return { ...ran, requests, asked: double.asked };
}

const ok = (body: unknown): Reply => ({ status: 200, body });

describe('state get', () => {
  it.each([
    ['', '/workflow-states/sta_1?pointer='],
    ['/tasks', '/workflow-states/sta_1?pointer=%2Ftasks'],
  ])("with the pointer '%s' prints what stands there", async (pointer, url) => {
    const found = ok({ state_id: 'sta_1', version: 7, pointer, value: { a: 1 } });
    const ran = await ask(['state', 'get', 'sta_1', '--pointer', pointer], found);
    expect(ran).toMatchObject({ code: EXIT.ok, err: '', requests: [`GET ${url}`] });
    expect(JSON.parse(ran.out)).toEqual({ a: 1 });
  });
});

describe('a state that nothing names', () => {
  const tree = (own: string | null) => (asked: Asked) =>
    ok(
      asked.url.startsWith('/sessions/')
        ? { ...session, workflow_state_id: own }
        : { ...state, changed: true },
    );
  const caller = { AGENT_SESSION_NAME: 'reviewer' };

  it.each<[string[], string]>([
    [['state', 'get', '--data-only'], 'GET /workflow-states/sta_9'],
    [['state', 'log'], 'GET /workflow-states/sta_9/events'],
    [['state', 'patch', '--merge', '{"a":1}'], 'PATCH /workflow-states/sta_9'],
  ])("is for %j that of the session's tree", async (argv, then) => {
    const { requests } = await ask(argv, tree('sta_9'), { env: { ...caller, WORKFLOW_STATE_ID: '' } });
    expect(requests[0]).toBe('GET /sessions/reviewer');
    expect(requests[1]?.startsWith(then)).toBe(true);
  });

  it('is asked for by the id of the session before its name', async () => {
    const env = { ...caller, AGENT_SESSION_ID: 'ses_2' };
    expect((await ask(['state', 'get'], tree('sta_9'), { env })).requests).toEqual([
      'GET /sessions/ses_2',
      'GET /workflow-states/sta_9',
    ]);
  });

  it('is not asked for where one is named', async () => {
    const named = { env: { ...caller, WORKFLOW_STATE_ID: 'sta_8' } };
    expect((await ask(['state', 'get'], tree('sta_9'), named)).requests).toEqual([
      'GET /workflow-states/sta_8',
    ]);
    const given = await ask(['state', 'get', 'sta_1'], tree('sta_9'), { env: caller });
    expect(given.requests).toEqual(['GET /workflow-states/sta_1']);
  });

  it('is told where the tree has none, or the session is not there', async () => {
    const none = await ask(['state', 'get'], tree(null), { env: caller });
    expect(none).toMatchObject({ code: EXIT.usage, out: '' });
    expect(none.err).toMatch(/No state is named: .* The tree of the session reviewer has no state yet/);
    const gone = await ask(['state', 'get'], problem(404, 'session_not_found', 'No such session.'), {
      env: caller,
    });
    expect(gone).toMatchObject({ code: EXIT.notFound, out: '' });
    expect(gone.err).toMatch(/No state is named: .* No such session\./);
  });

  it.each([
    [401, 'unauthorized', EXIT.notAllowed, false],
    [404, 'session_not_found', EXIT.notFound, false],
    [503, 'storage_busy', EXIT.refused, true],
  ])('is refused as the session is: %i %s ends with %i', async (status, error, code, retryable) => {
    const wait = ['wait', '--until', 'a=1', '--timeout', '0s'];
    const argvs = [['get'], ['set', '{}'], ['patch', '--merge', '{}'], ['log'], wait];
    for (const argv of argvs) {
      const ran = await ask(['state', ...argv, '--json'], problem(status, error, 'So it is.'), {
        env: caller,
      });
      expect(ran).toMatchObject({ code, out: '' });
      expect(JSON.parse(ran.err)).toMatchObject({
        error,
        detail: expect.stringContaining('So it is.'),
        retryable,
      });
      expect(new Set(ran.requests)).toEqual(new Set(['GET /sessions/reviewer']));
    }
  });
});

describe('requests', () => {
  const file = join(dir, 'plan.json');
  writeFileSync(file, '\ufeff{"tasks": []}');
  const written = ok({ ...state, changed: true });
  const inRun = { env: { WORKFLOW_STATE_ID: 'sta_9' } };

  it.each<[string[], Reply, string, Around?]>([
    [
      ['schema', 'register', file, '--name', 'plan'],
      ok(schema),
      'POST /workflow-schemas {"name":"plan","json_schema":{"tasks":[]}}',
    ],
    [
      ['schema', 'register', '-', '--name', 'plan'],
      ok(schema),
      'POST /workflow-schemas {"name":"plan","json_schema":{"a":1}}',
      { stdin: '{"a":1}' },
    ],
    [
      ['schema', 'register', file, '--name', 'plan', '--compatibility', 'full'],
      ok(schema),
      'POST /workflow-schemas {"name":"plan","json_schema":{"tasks":[]},"compatibility":"full"}',
    ],
    [
      ['schema', 'register', file, '--name', 'plan', '--dry-run'],
      ok({
        would_create_version: 3,
        compatibility: { mode: 'none', verdict: 'compatible', differences: [] },
        live_states: { checked: 0, all: true, failing_count: 0, failing: [] },
      }),
      'POST /workflow-schemas?dry_run=true {"name":"plan","json_schema":{"tasks":[]}}',
    ],
    [['schema', 'list', '--limit', '5'], ok(page(schema)), 'GET /workflow-schemas?limit=5'],
    [['schema', 'show', 'plan', '--version', '2'], ok(schema), 'GET /workflow-schemas/plan?version=2'],
    [
      ['state', 'create', '--schema', 'plan'],
      ok(state),
      'POST /workflow-states {"schema_name":"plan","initial_data":{}}',
    ],
    [
      [
        'state',
        'create',
        '--schema',
        'plan',
        '--schema-version',
        '2',
        '--data',
        '{"a":1}',
        '--root-session',
        'ses_1',
      ],
      ok(state),
      'POST /workflow-states {"schema_name":"plan","initial_data":{"a":1},"schema_version":2,"root_session_id":"ses_1"}',
    ],
    [['state', 'list', '--schema', 'plan'], ok(page(state)), 'GET /workflow-states?schema=plan'],
    [['state', 'get', 'sta_1'], ok(state), 'GET /workflow-states/sta_1'],
    [['state', 'get', '--at-version', '3'], ok(state), 'GET /workflow-states/sta_9?at_version=3', inRun],
    [
      ['state', 'get', 'sta_1', '--pointer', '/a'],
      ok({ state_id: 'sta_1', version: 7, pointer: '/a', value: 1 }),
      'GET /workflow-states/sta_1?pointer=%2Fa',
    ],
    [
      ['state', 'set', 'sta_1', file, '--expected-version', '7'],
      written,
      'PUT /workflow-states/sta_1 {"data":{"tasks":[]},"expected_version":7}',
    ],
    [
      ['state', 'set', '-'],
      written,
      'PUT /workflow-states/sta_9 {"data":{"b":2}}',
      { ...inRun, stdin: '{"b":2}' },
    ],
    [
      ['state', 'set', file, '--dry-run'],
      written,
      'PUT /workflow-states/sta_9?dry_run=true {"data":{"tasks":[]}}',
      inRun,
    ],
    [
      ['state', 'patch', '[{"op":"remove","path":"/a"}]'],
      written,
      'PATCH /workflow-states/sta_9 {"operations":[{"op":"remove","path":"/a"}]}',
      inRun,
    ],
    [
      ['state', 'patch', 'sta_1', '--merge', '{"a":null}'],
      written,
      'PATCH /workflow-states/sta_1 {"a":null}',
    ],
    [
      ['state', 'migrate', 'sta_1', '--to', '3', '--operations', '[]', '--allow-existing', '--dry-run'],
      written,
      'POST /workflow-states/sta_1/migrate?dry_run=true {"schema_version":3,"operations":[],"allow_existing":true}',
    ],
    [
      ['state', 'migrate', '--to', '3', '--expected-version', '7'],
      written,
      'POST /workflow-states/sta_9/migrate {"schema_version":3,"expected_version":7}',
      inRun,
    ],
    [
      ['state', 'ops', 'sta_1', '[{"op":"increment","pointer":"/n","delta":1}]', '--expected-version', '7'],
      written,
      'POST /workflow-states/sta_1/ops {"operations":[{"op":"increment","pointer":"/n","delta":1}],"expected_version":7}',
    ],
    [
      ['state', 'diff', '--from', '3', '--to', '7'],
      ok({ from: 3, to: 7, patch: [] }),
      'GET /workflow-states/sta_9/diff?from=3&to=7',
      inRun,
    ],
    [
      ['state', 'revert', 'sta_1', '--to', '3', '--dry-run'],
      written,
      'POST /workflow-states/sta_1/revert?dry_run=true {"to_version":3}',
    ],
    [
      ['state', 'keys', '--session', 'release'],
      ok({ root_session_id: 'ses_1', state_id: 'sta_1', keys: {}, global_version: 7 }),
      'GET /sessions/release/state',
    ],
    [
      ['state', 'keys', 'set', 'count', '1', '--session', 'release'],
      ok({
        root_session_id: 'ses_1',
        state_id: 'sta_1',
        key: 'count',
        value: 1,
        changed: true,
        global_version: 8,
      }),
      'PUT /sessions/release/state/keys/count {"value":1}',
    ],
    [
      ['state', 'keys', 'set', 'count', '1'],
      ok({
        root_session_id: 'ses_1',
        state_id: 'sta_1',
        key: 'count',
        value: 1,
        changed: true,
        global_version: 8,
        merged: true,
      }),
      'PUT /sessions/release/state/keys/count?base_version=last_read {"value":1}',
      { env: { AGENT_SESSION_NAME: 'release' } },
    ],
    [
      ['state', 'log', 'sta_1', '--since', '5', '--limit', '2'],
      ok({ events: [], has_more: false }),
      'GET /workflow-states/sta_1/events?since=5&limit=2',
    ],
    [
      ['state', 'log', 'sta_1', '--key', 'status', '--session', 'reviewer'],
      ok({ events: [], has_more: true, next_since: 9 }),
      'GET /workflow-states/sta_1/events?key=status&session=reviewer',
    ],
    [
      ['session', 'resume', 'reviewer', '--prompt', '-'],
      ok(run),
      'POST /runs {"type":"resume_session","prompt":"More.","session_name":"reviewer"}',
      { stdin: 'More.' },
    ],
    [
      ['session', 'list', '--status', 'running', '--root-session', 'r'],
      ok(page(session)),
      'GET /sessions?status=running&root_session=r',
    ],
    [['session', 'show', 'reviewer'], ok(session), 'GET /sessions/reviewer'],
    [['session', 'tree', 'reviewer'], ok({ ...session, children: [] }), 'GET /sessions/reviewer/tree'],
    [['session', 'stop', 'reviewer'], ok(session), 'POST /sessions/reviewer/stop {}'],
    [
      ['session', 'stop', 'reviewer', '--reason', 'so'],
      ok(session),
      'POST /sessions/reviewer/stop {"reason":"so"}',
    ],
    [['session', 'delete', 'reviewer'], ok(null), 'DELETE /sessions/reviewer'],
    [['session', 'delete', 'reviewer', '--cascade'], ok(null), 'DELETE /sessions/reviewer?cascade=true'],
    [
      ['session', 'skip', 'reviewer', '--reason', 'so'],
      ok(completion),
      'POST /sessions/reviewer/completion/skip {"reason":"so"}',
    ],
    [['session', 'retry', 'reviewer'], ok(completion), 'POST /sessions/reviewer/completion/retry {}'],
    [['session', 'completion', 'reviewer'], ok(completion), 'GET /sessions/reviewer/completion'],
    [['session', 'create'], { status: 201, body: session }, 'POST /sessions {}'],
    [
      ['session', 'create', '--external', '--name', 'release', '--delivery', 'pull'],
      { status: 201, body: { ...session, external: true } },
      'POST /sessions {"session_name":"release","delivery":"pull","external":true}',
    ],
    [
      [
        ...['session', 'create', '--external', '--delivery', 'webhook'],
        ...['--callback-url', 'https://ci.example/c', '--callback-secret', 'whsec_abc'],
      ],
      { status: 201, body: { ...session, callback_secret: 'whsec_abc' } },
      'POST /sessions {"delivery":"webhook","callback_url":"https://ci.example/c","callback_secret":"whsec_abc","external":true}',
    ],
    [
      [
        ...[
          'session',
          'create',
          '--id',
          'ses_x',
          '--parent',
          'release',
          '--agent',
          'a',
          '--project-dir',
          '/w',
        ],
        ...[
          '--callback',
          '--write-scope',
          '/a',
          '--update-timeout-ms',
          '500',
          '--update-retry-delay-ms',
          '0',
        ],
      ],
      { status: 201, body: session },
      'POST /sessions {"parent_session_name":"release","session_id":"ses_x","agent_name":"a","project_dir":"/w","callback":true,"completion":{"write_scope":["/a"],"timeout_ms":500,"retry_delay_ms":0}}',
    ],
    [
      ['session', 'resume', 'reviewer', '--prompt', 'more', '--callback', '--max-attempts', '2'],
      { status: 201, body: run },
      'POST /runs {"type":"resume_session","prompt":"more","session_name":"reviewer","callback":true,"completion":{"max_attempts":2}}',
    ],
    [
      ['run', 'list', '--status', 'failed', '--session', 'reviewer'],
      ok(page(run)),
      'GET /runs?status=failed&session=reviewer',
    ],
    [['run', 'show', 'run_1'], ok(run), 'GET /runs/run_1'],
    [['agent', 'list', '--limit', '5'], ok(page(agent)), 'GET /agents?limit=5'],
    [['agent', 'show', 'reviewer'], ok({ ...agent, system_prompt: null }), 'GET /agents/reviewer'],
    [['run', 'stop', 'run_1', '--reason', 'so'], ok(run), 'POST /runs/run_1/stop {"reason":"so"}'],
    [
      ['workflow', 'start', 'sta_1', '--agent', 'analyst', '--prompt', 'Look.', '--artifact', 'a.md'],
      ok(entry),
      'POST /workflow-states/sta_1/workflow/invocations {"agent":"analyst","prompt":"Look.","artifacts":["a.md"]}',
    ],
    [
      ['workflow', 'complete', 'sta_1', '--id', 'inv_1', '--status', 'blocked', '--summary', 'No key.'],
      ok(entry),
      'POST /workflow-states/sta_1/workflow/invocations/inv_1/completion {"status":"blocked","summary":"No key."}',
    ],
    [
      [
        ...['workflow', 'decide', 'sta_1', '--agent', 'architect', '--type', 'scope'],
        ...['--description', 'Less.', '--rationale', 'Time.', '--id', 'dec_1'],
      ],
      ok(entry),
      'POST /workflow-states/sta_1/workflow/decisions {"type":"scope","description":"Less.","rationale":"Time.","decided_by":"architect","id":"dec_1"}',
    ],
    [
      ['workflow', 'approve', 'sta_1', '--id', 'dec_1', '--agent', 'critic'],
      ok(entry),
      'POST /workflow-states/sta_1/workflow/decisions/dec_1/approvals {"agent":"critic"}',
    ],
    [
      ['workflow', 'reject', 'sta_1', '--id', 'dec_1', '--agent', 'critic'],
      ok(entry),
      'POST /workflow-states/sta_1/workflow/decisions/dec_1/rejections {"agent":"critic"}',
    ],
    [
      [
        ...['workflow', 'verdict', 'sta_1', '--agent', 'critic', '--decision', 'conditional'],
        ...['--confidence', '0.5', '--reasoning', 'So.', '--condition', 'a test'],
      ],
      ok(entry),
      'POST /workflow-states/sta_1/workflow/verdicts {"agent":"critic","decision":"conditional","confidence":0.5,"reasoning":"So.","conditions":["a test"]}',
    ],
    [
      [
        ...['workflow', 'handoff', 'sta_1', '--from', 'a', '--to', 'b', '--reason', 'r', '--context', 'c'],
        ...['--preserve', '{"x":1}'],
      ],
      ok(entry),
      'POST /workflow-states/sta_1/workflow/handoffs {"from_agent":"a","to_agent":"b","reason":"r","context":"c","preserved_context":{"x":1}}',
    ],
    [
      ['workflow', 'phase', 'sta_1', '--set', 'validation'],
      ok(entry),
      'PUT /workflow-states/sta_1/workflow/phase {"phase":"validation"}',
    ],
    [
      ['workflow', 'mode', 'sta_1', '--set', 'coding', '--reason', 'planned'],
      ok(entry),
      'PUT /workflow-states/sta_1/workflow/mode {"mode":"coding","reason":"planned"}',
    ],
    [
      ['workflow', 'evidence', 'sta_1', '--protocol', 'end', '--item', 'log=a=b', '--complete'],
      ok(entry),
      'POST /workflow-states/sta_1/workflow/evidence {"protocol":"end","evidence":{"log":"a=b"},"complete":true}',
    ],
    [['workflow', 'show', 'sta_1'], ok(workflow), 'GET /workflow-states/sta_1/workflow'],
    [
      ['workflow', 'compact', 'sta_1', '--keep', '0'],
      ok({ state_id: 'sta_1', version: 3, changed: true, entry_id: 'arc_1' }),
      'POST /workflow-states/sta_1/workflow/compact {"keep":0}',
    ],
    [
      ['workflow', 'archive', 'sta_1', '--id', 'arc_1'],
      ok(workflowArchive),
      'GET /workflow-states/sta_1/workflow/archives/arc_1',
    ],
    [['callback', 'list', '--status', 'dead'], ok(page(callback)), 'GET /callbacks?status=dead'],
    [['callback', 'list', '--child-session', 'kid'], ok(page(callback)), 'GET /callbacks?child_session=kid'],
    [['callback', 'ack', 'cbk_1'], ok(callback), 'POST /callbacks/cbk_1/ack'],
    [
      ['callback', 'redeliver', 'cbk_1', '--reason', 'so'],
      ok(callback),
      'POST /callbacks/cbk_1/redeliver {"reason":"so"}',
    ],
    [
      ['webhook', 'add', 'https://ci.example/hook'],
      ok({ ...webhook, secret: 'whsec_x' }),
      'POST /webhooks {"url":"https://ci.example/hook","events":["workflow_state_updated"]}',
    ],
    [
      [
        ...['webhook', 'add', 'https://ci.example/hook', '--event', 'workflow_state_created'],
        ...['--schema', 'plan', '--when', '{"required":["a"]}'],
      ],
      ok({ ...webhook, secret: 'whsec_x' }),
      'POST /webhooks {"url":"https://ci.example/hook","events":["workflow_state_created"],"schema_name":"plan","when":{"required":["a"]}}',
    ],
    [['webhook', 'list'], ok(page(webhook)), 'GET /webhooks'],
    [['webhook', 'get', 'whk_1'], ok(webhook), 'GET /webhooks/whk_1'],
    [['webhook', 'remove', 'whk_1'], ok(null), 'DELETE /webhooks/whk_1'],
    [['webhook', 'enable', 'whk_1'], ok(webhook), 'POST /webhooks/whk_1/enable'],
    [
      ['webhook', 'disable', 'whk_1', '--reason', 'moves'],
      ok(webhook),
      'POST /webhooks/whk_1/disable {"reason":"moves"}',
    ],
    [
      ['webhook', 'deliveries', 'whk_1', '--status', 'dead'],
      ok(page(delivery)),
      'GET /webhooks/whk_1/deliveries?status=dead',
    ],
    [
      ['webhook', 'redeliver', 'whk_1', 'dlv_1', '--reason', 'so'],
      ok(delivery),
      'POST /webhooks/whk_1/deliveries/dlv_1/redeliver {"reason":"so"}',
    ],
    [
      ['callback', 'pull', 'orchestrator'],
      ok(page(callback)),
      'GET /sessions/orchestrator/callbacks?wait=0ms',
    ],
    [['runners'], ok(page()), 'GET /runners'],
    [['overview'], ok(overview), 'GET /overview'],
    [['whoami'], ok(caller), 'GET /whoami'],
    [['activity'], ok(activity), 'GET /activity'],
    [['run', 'list', '--order', 'newest'], ok(page()), 'GET /runs?order=newest'],
    [['state', 'list', '--search', 'release'], ok(page(state)), 'GET /workflow-states?search=release'],
    [['session', 'completions', '--status', 'pending'], ok(page()), 'GET /completions?status=pending'],
    [['run', 'list', '--root-session', 'r'], ok(page()), 'GET /runs?root_session=r'],
    [['session', 'list', '--update', 'failed'], ok(page()), 'GET /sessions?state_update_status=failed'],
  ])('%j', async (argv, answer, request, around) => {
    const ran = await ask(argv, answer, around);
    expect(ran).toMatchObject({ code: 0, requests: [request] });
    const json = await ask([...argv, '--json'], answer, around);
    expect(JSON.parse(json.out)).toEqual(answer.body);
    expect(json.err).toBe('');
  });

  it('of verdicts show only those', async () => {
    const ran = await ask(['workflow', 'verdicts', 'sta_1'], ok(workflow));
    expect(ran).toMatchObject({ code: 0, requests: ['GET /workflow-states/sta_1/workflow'] });
    expect(ran.out).toMatch(/blocked[^]*critic +reject +No test\./);
    const json = await ask(['workflow', 'verdicts', 'sta_1', '--json'], ok(workflow));
    expect(JSON.parse(json.out)).toEqual(workflow.verdicts);
  });

  it('of a start carry every flag', async () => {
    const { asked, code } = await ask(
      [
        ...[
          'session',
          'start',
          '--prompt',
          'Do it.',
          '--name',
          'child',
          '--agent',
          'coder',
          '--parent',
          'orchestrator',
        ],
        ...['--callback', '--delivery', 'pull', '--contract', '{"pointer":"/a","schema":{"type":"string"}}'],
        ...[
          '--write-scope',
          '/a',
          '/b',
          '--mode',
          'unless_satisfied',
          '--max-attempts',
          '2',
          '--project-dir',
          '/work',
        ],
        ...[
          '--metadata',
          '{"x":1}',
          '--tag',
          'gpu',
          '--hostname',
          'here',
          '--executor-type',
          'command',
          '--timeout-ms',
          '5000',
        ],
        ...['--state-context', 'off', '--state-summary', 'on'],
      ],
      { status: 201, body: run },
    );
    expect(code).toBe(0);
    expect(JSON.parse(asked[0]!.body)).toEqual({
      type: 'start_session',
      prompt: 'Do it.',
      session_name: 'child',
      agent_name: 'coder',
      parent_session_name: 'orchestrator',
      callback: true,
      delivery: 'pull',
      completion: {
        mode: 'unless_satisfied',
        contract: { pointer: '/a', schema: { type: 'string' } },
        write_scope: ['/a', '/b'],
        max_attempts: 2,
      },
      project_dir: '/work',
      metadata: { x: 1 },
      demands: { tags: ['gpu'], hostname: 'here', executor_type: 'command' },
      timeout_ms: 5000,
      state_context: false,
      state_summary: true,
    });
  });

  it('take variables that are empty for not set', async () => {
    const env = { AGENT_SESSION_ID: '', AGENT_SESSION_NAME: '', COUNTERSIGN_TOKEN: '' };
    const { asked } = await ask(['runners'], ok(page()), { env });
    for (const header of ['x-agent-session-id', 'x-agent-session-name', 'authorization']) {
      expect(asked[0]?.headers).not.toHaveProperty(header);
    }
  });

  it('say who is asking: a token alone, else the session of the run', async () => {
    const names = { AGENT_SESSION_ID: 'ses_2', AGENT_SESSION_NAME: 'reviewer' };
    const { asked } = await ask(['runners'], ok(page()), { env: names });
    expect(asked[0]?.headers).toMatchObject({
      'x-agent-session-id': 'ses_2',
      'x-agent-session-name': 'reviewer',
    });
    const withToken = await ask(['runners'], ok(page()), { env: { ...names, COUNTERSIGN_TOKEN: 't' } });
    expect(withToken.asked[0]?.headers.authorization).toBe('Bearer t');
    expect(withToken.asked[0]?.headers).not.toHaveProperty('x-agent-session-id');
    const flag = await ask(['runners', '--token', 'f'], ok(page()), { env: { COUNTERSIGN_TOKEN: 't' } });
    expect(flag.asked[0]?.headers.authorization).toBe('Bearer f');
  });
});

describe('waiting', () => {
  const service =
    (...sessions: object[]) =>
    ({ method, url }: Asked): Reply => {
      if (method === 'POST') return ok(run);
      if (url.endsWith('/result')) {
        return ok({ session_id: 'ses_2', status: 'finished', result_text: 'It is fine.', result_data: null });
      }
      return ok({ ...session, ...(sessions.length > 1 ? sessions.shift() : sessions[0]) });
    };
  const start = ['session', 'start', '--prompt', 'Go', '--wait'];

  it('goes on until the work is recorded, and prints its result', async () => {
    const ran = await ask(
      start,
      service(
        { status: 'running' },
        { status: 'finished', state_update_status: 'pending' },
        { status: 'finished', state_update_status: 'completed' },
      ),
    );
    expect(ran).toMatchObject({ code: 0, out: 'It is fine.\n' });
    expect(ran.requests.filter((one) => one === 'GET /sessions/ses_2')).toHaveLength(3);
  });

  it.each([
    ['failed', null],
    ['stopped', 'skipped'],
    ['finished', 'failed'],
  ])('ends with 1 where the session is %s, its update %s', async (status, state_update_status) => {
    const ran = await ask(start, service({ status, state_update_status }));
    expect(ran.code).toBe(1);
  });

  it('ends with 1 where it took too long', async () => {
    const ran = await ask([...start, '--wait-timeout', '50ms'], service({ status: 'running' }));
    expect(ran.code).toBe(1);
    expect(ran.err).toContain('it goes on');
  });

  it('of more work does not take the rest before it for its end', async () => {
    let looks = 0;
    const more = { ...run, type: 'resume_session' };
    const ran = await ask(['session', 'resume', 'ses_2', '--prompt', 'More', '--wait'], (asked) => {
      if (asked.method === 'POST') return ok(more);
      if (asked.url.startsWith('/runs/')) {
        looks += 1;
        return ok({ ...more, completed_at: looks < 3 ? null : run.created_at });
      }
      return service({ status: 'finished' })(asked);
    });
    expect(ran).toMatchObject({ code: 0, out: 'It is fine.\n' });
    expect(looks).toBe(3);
  });

  it('for callbacks asks again until there is one', async () => {
    let left = 2;
    const ran = await ask(['callback', 'pull', 'orchestrator', '--wait', '10s'], () =>
      ok(left-- > 0 ? page() : page(callback)),
    );
    expect(ran.code).toBe(0);
    expect(ran.requests).toHaveLength(3);
    expect(ran.out).toContain('<agent-callback>Done.</agent-callback>');
  });

  it('shows the summary of the state after the callbacks', async () => {
    const summary = '<countersign-session>The state</countersign-session>';
    const pulled = ok({ ...page(callback), state_summary: summary });
    const ran = await ask(['callback', 'pull', 'orchestrator'], pulled);
    expect(ran.out.endsWith(`<agent-callback>Done.</agent-callback>\n\n${summary}\n`)).toBe(true);
  });
});

describe('answers', () => {
  it.each([
    ['the document has 9 of at most 10 bytes', 'stateBytesMax', 'the document has 9 of at most 10 bytes'],
    ['let stay, though the schema refuses it: (the document): must have a', 'required', 'must have a'],
  ])('a warning of a write is told: %s', async (told, keyword, message) => {
    const warnings = [{ pointer: '', keyword, message, expected: null }];
    const written = { status: 200, body: { ...state, changed: true, warnings } };
    const { code, err } = await ask(['state', 'patch', 'sta_1', '[]'], written);
    expect([code, err]).toEqual([EXIT.ok, `${told}\n`]);
  });

  it('are aligned tables', async () => {
    const { out } = await ask(
      ['run', 'list'],
      ok(page(run, { ...run, run_id: 'run_22', status: 'failed', error: 'No\nuse' })),
    );
    expect(out).toBe(
      [
        'RUN     SESSION   PURPOSE  STATUS   ATTEMPT  CREATED              ERROR',
        'run_1   reviewer  work     pending  0        2026-01-02 03:04:05  -',
        'run_22  reviewer  work     failed   0        2026-01-02 03:04:05  No use',
        '',
      ].join('\n'),
    );
  });

  it('fit a terminal, in colour where that is wanted', async () => {
    const answer = ok(page({ ...run, error: 'x'.repeat(200), status: 'failed' }));
    const terminal = { isTTY: true, width: 80 };
    const coloured = await ask(['run', 'list'], answer, terminal);
    expect(coloured.out).toContain('\u001b[31mfailed\u001b[0m');
    const plain = await ask(['run', 'list'], answer, { ...terminal, env: { NO_COLOR: '1' } });
    expect(plain.out).not.toContain('\u001b');
    expect(Math.max(...plain.out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(plain.out).toContain('xx…');
  });

  it('do not let what an agent wrote steer a terminal', async () => {
    const answer = ok({
      session_id: 's',
      status: 'finished',
      result_text: 'a\u001b[2Jb\nc',
      result_data: null,
    });
    expect((await ask(['session', 'result', 's'], answer, { isTTY: true })).out).toBe('a\\u001b[2Jb\nc\n');
    expect((await ask(['session', 'result', 's'], answer)).out).toBe('a\u001b[2Jb\nc\n');
  });

  it('show a state with its document, or the document alone', async () => {
    const document = '{\n  "tasks": [\n    {\n      "status": "done"\n    }\n  ]\n}\n';
    const whole = await ask(['state', 'get', 'sta_1'], ok(state));
    expect(whole.out).toContain('version       7\n');
    expect(whole.out.endsWith(`\n\n${document}`)).toBe(true);
    expect((await ask(['state', 'get', 'sta_1', '--data-only'], ok(state))).out).toBe(document);
    const json = await ask(['state', 'get', 'sta_1', '--data-only', '--json'], ok(state));
    expect(json.out).toBe('{"tasks":[{"status":"done"}]}\n');
  });

  it('show a tree as one', async () => {
    const leaf = (session_name: string, children: object[] = []) => ({ ...session, session_name, children });
    const { out } = await ask(
      ['session', 'tree', 'r'],
      ok(leaf('root', [leaf('a', [leaf('b')]), leaf('c')])),
    );
    expect(out.split('\n').map((line) => line.slice(0, 8).trimEnd())).toEqual([
      'SESSION',
      'root',
      '├─ a',
      '│  └─ b',
      '└─ c',
      '',
    ]);
  });

  it('show what is wrong with the file of an agent, and end with 1', async () => {
    const fault = { pointer: '/executor', keyword: 'required', message: 'is missing', expected: null };
    const broken = { ...agent, status: 'broken', executor: null, description: null, errors: [fault] };
    const listed = await ask(['agent', 'list'], ok(page(agent, broken)));
    expect(listed.out).toMatch(
      /ready +claude-code +sonnet +Reviews one change\.\n.*broken.*\/executor: is missing/,
    );
    const shown = await ask(['agent', 'show', 'reviewer'], ok({ ...broken, system_prompt: null }));
    expect(shown.code).toBe(1);
    expect(shown.out).toContain('/executor: is missing');
  });

  it('show an agent with what it is told', async () => {
    const { out, code } = await ask(
      ['agent', 'show', 'reviewer'],
      ok({ ...agent, system_prompt: 'Be kind.\n' }),
    );
    expect(code).toBe(0);
    expect(out).toMatch(/max attempts +2\n\nBe kind\.\n$/);
  });

  it('of a creation show the secret, this once', async () => {
    const made = { ...session, delivery: 'webhook', callback_url: 'https://ci.example/c' };
    const answer = { status: 201, body: { ...made, callback_secret: 'whsec_abc' } };
    const { out, err } = await ask(['session', 'create', '--external'], answer);
    expect(out).toMatch(/callback url +https:\/\/ci\.example\/c\n[^]*callback secret +whsec_abc\n/);
    expect(err).toContain('shown this once');
  });

  it('show what a completion lacks', async () => {
    const { out } = await ask(['session', 'completion', 'reviewer'], ok(completion));
    expect(out).toContain('attempt       1 of 3');
    expect(out).toContain('contract_failed');
    expect(out).toContain('/tasks/0: lacks status');
  });

  it('tell where there is more', async () => {
    const { err } = await ask(['run', 'list'], ok({ items: [run], next_cursor: 'abc' }));
    expect(err).toBe('There is more: add --cursor abc\n');
  });

  it('of the doctor end with 1 where there are findings', async () => {
    expect(await ask(['doctor'], ok({ healthy: true, findings: [] }))).toMatchObject({
      code: 0,
      out: 'All is well.\n',
    });
    const finding = { check: 'callback_lost', subject: 'ses_2', detail: 'Nobody was told.' };
    const ill = await ask(['doctor'], ok({ healthy: false, findings: [finding] }));
    expect(ill.code).toBe(1);
    expect(ill.out).toContain('Nobody was told.');
  });
});

describe('refusals', () => {
  it.each([
    [500, 'internal', 70],
    [503, 'overloaded', 1],
    [422, 'invalid_request', 2],
    [404, 'state_not_found', 4],
    [409, 'version_conflict', 5],
    [422, 'validation_failed', 6],
    [403, 'write_scope_violation', 6],
    [401, 'unauthorized', 7],
  ])('%i %s exit with %i', async (status, error, code) => {
    const ran = await ask(['state', 'get', 'sta_1'], problem(status, error, 'So it is.'));
    expect(ran).toMatchObject({ code, out: '' });
    expect(ran.err).toContain(`(${error})\n  So it is.\n`);
  });

  it('name every place and what to do next', async () => {
    const errors = [
      {
        pointer: '/tasks/0/status',
        keyword: 'enum',
        message: 'is not one of the allowed values',
        expected: ['open', 'done'],
      },
      { pointer: '', keyword: 'required', message: 'lacks phase', expected: null },
    ];
    const answer = problem(422, 'validation_failed', 'The document breaks plan@2.', { errors });
    const ran = await ask(['state', 'set', 'sta_1', '{}'], answer);
    expect(ran.err).toBe(
      [
        'error: The document does not satisfy its schema (validation_failed)',
        '  The document breaks plan@2.',
        '  /tasks/0/status: is not one of the allowed values (expected open, done)',
        '  (the whole document): lacks phase',
        'hint: correct the places above; countersign schema show NAME prints the schema',
        '',
      ].join('\n'),
    );
    const json = await ask(['state', 'set', 'sta_1', '{}', '--json'], answer);
    expect(json.out).toBe('');
    expect(JSON.parse(json.err)).toMatchObject({
      error: 'validation_failed',
      detail: 'The document breaks plan@2.',
      errors,
    });
  });

  it('of a callback for nobody say how to name the parent', async () => {
    const errors = [{ pointer: '/callback', keyword: 'request', message: 'needs a parent', expected: 'one' }];
    const answer = problem(422, 'invalid_request', '/callback: needs a parent', { errors });
    const ran = await ask(['session', 'start', '--prompt', 'x', '--callback'], answer);
    expect(ran.code).toBe(2);
    expect(ran.err).toMatch(/hint: name the parent \(--parent\), or call it within a run/);
  });

  it('of a version name both, without the document', async () => {
    const members = { current_version: 8, your_version: 7, current_data: { long: 'document' } };
    const ran = await ask(
      ['state', 'set', 'sta_1', '{}'],
      problem(409, 'version_conflict', 'Too late.', members),
    );
    expect(ran.err).toContain('  current_version: 8\n  your_version: 7\n');
    expect(ran.err).not.toContain('long');
  });

  it('of a connection exit with 3 and say how to get one', async () => {
    const ran = await cli(['run', 'list', '--url', 'http://127.0.0.1:1']);
    expect(ran.code).toBe(3);
    expect(ran.err).toMatch(
      /^error: The service at http:\/\/127\.0\.0\.1:1 cannot be reached.*\nhint: start it/,
    );
    const json = await cli(['run', 'list', '--url', 'http://127.0.0.1:1', '--json']);
    expect(JSON.parse(json.err)).toMatchObject({ error: 'unreachable' });
  });
});
