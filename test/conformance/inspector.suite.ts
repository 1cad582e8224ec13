// The official inspector's command line lists and calls every tool of a running coordinator, over HTTP and over stdio.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TOOLS } from '../../src/mcp/index.js';
import { builtProgram } from '../support/built-program.js';
import { must, Stage } from '../support/stage.js';
import { Kit } from './kit.js';

const PACKAGE = '@modelcontextprotocol/inspector@2.12.0';
const LAUNCHER = '@modelcontextprotocol/inspector/clients/launcher/build/index.js';

/** Every tool, in an order in which each call succeeds, with what its answer has to have. */
const CALLS: readonly (readonly [
  string,
  Readonly<Record<string, unknown>>,
  Readonly<Record<string, unknown>>,
])[] = [
  [
    'state_create',
    {
      schema_name: 'any',
      // Some tools are about the record of a workflow.
      json_schema: { type: 'object', properties: { orchestrator_workflow: { type: 'object' } } },
      initial_data: { n: 1, list: [] },
    },
    { version: 1 },
  ],
  ['state_read', { pointer: '/n' }, { complete: true, value: 1 }],
  ['state_read', {}, { complete: true }],
  ['state_update', { data: { n: 2, list: [] } }, { changed: true, version: 2 }],
  ['state_patch', { operations: [{ op: 'add', path: '/note', value: 'x' }] }, { changed: true, version: 3 }],
  ['state_schema', { pointer: '/type' }, { value: 'object' }],
  ['state_get', { key: 'n' }, { value: 2 }],
  ['state_set', { key: 'draft', value: { by: 'hand' } }, { changed: true }],
  ['state_delete', { key: 'draft' }, { changed: true }],
  ['state_increment', { key: 'n', delta: 3 }, { value: 5 }],
  ['state_append', { key: 'list', items: [{ file: 'a' }] }, { length: 1 }],
  ['wait_for_state', { until: { required: ['note'] }, timeout_seconds: 1 }, { matched: true }],
  [
    'start_agent_session',
    { prompt: 'Look at it.', session_name: 'child', callback: true },
    { session_name: 'child' },
  ],
  ['get_agent_session_status', { session: 'child' }, { status: 'pending' }],
  ['get_agent_session_result', { session: 'child' }, { result_text: null }],
  ['resume_agent_session', { session: 'child', prompt: 'Once more.' }, { session_name: 'child' }],
  ['list_agent_sessions', { limit: 5 }, { next_cursor: null }],
  ['list_agent_blueprints', {}, { next_cursor: null }],
  ['stop_agent_session', { session: 'child' }, { session_name: 'child' }],
];

const called = new Set(CALLS.map(([name]) => name));
/** Tools that need nothing in particular are called with the example that they give. */
const OTHERS = TOOLS.filter(({ name }) => !called.has(name)).map(
  ({ name, example }) => [name, example, {}] as const,
);

let kit: Kit;
beforeAll(async () => {
  kit = await Kit.install(PACKAGE);
});
afterAll(() => kit.remove());

describe.each(['HTTP', 'stdio'])('the inspector over %s', (transport) => {
  let stage: Stage;
  let target: readonly string[];

  beforeAll(async () => {
    stage = await Stage.open({ runner: null });
    must(await stage.operator.sessions.create({ session_name: 'root', external: true }));
    target =
      transport === 'HTTP'
        ? [`${stage.url}/mcp`, '--header', 'X-Agent-Session-Name: root']
        : [
            ...[process.execPath, await builtProgram(), 'mcp'],
            ...['-e', `COUNTERSIGN_URL=${stage.url}`, '-e', 'AGENT_SESSION_NAME=root'],
          ];
  });
  afterAll(() => stage.close());

  /** What it printed, as JSON. */
  async function inspect(...args: readonly string[]): Promise<unknown> {
    const { code, stdout, stderr } = await kit.script(LAUNCHER, ['--cli', ...target, ...args]);
    expect(stderr).not.toMatch(/[1-9]\d* errors?/);
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${String(code)}: ${stderr} ${stdout}`);
    return JSON.parse(stdout);
  }

  test('lists every tool', async () => {
    const { tools } = (await inspect('--method', 'tools/list')) as { tools: readonly { name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
  });

  test.each([...CALLS, ...OTHERS])('calls %s %j', async (name, args, expected) => {
    const given = Object.entries(args).map(
      ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
    );
    const pairs = given.length === 0 ? [] : ['--tool-arg', ...given];
    const result = await inspect('--method', 'tools/call', '--tool-name', name, ...pairs);
    expect(result).toMatchObject({ structuredContent: expected });
  });

  test('lists the state as a resource and reads it', async () => {
    const listed = (await inspect('--method', 'resources/list')) as { resources: readonly { uri: string }[] };
    const read = await inspect('--method', 'resources/read', '--uri', listed.resources[0]!.uri);
    expect(read).toMatchObject({ contents: [{ mimeType: 'application/json' }] });
  });
});
