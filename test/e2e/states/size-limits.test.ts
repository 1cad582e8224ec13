// The flags that say how large things may be, on the real program: each is refused past what was given, with the flag's
// limit, and a document that comes close is warned of in the log, in a header and in the metrics.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runProgram } from '../../support/program.js';
import { must, Stage } from '../../support/stage.js';

const FLAGS = [
  ['--max-state-bytes', '2000'],
  ['--max-depth', '6'],
  ['--max-patch-operations', '3'],
  ['--max-patch-growth-bytes', '3000'],
  ['--max-body-bytes', '9000'],
  ['--max-schema-bytes', '1024'],
  ['--max-prompt-bytes', '1024'],
  ['--max-result-bytes', '1024'],
  ['--max-tree-sessions', '10'],
];

const textOf = (length: number) => 'x'.repeat(length);
/** An object of so many levels. */
const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) });
const add = (length: number) => ({ op: 'add', path: '/items/-', value: textOf(length) });

let stage: Stage;
let stateId: string;

beforeAll(async () => {
  stage = await Stage.open({ runner: null, serve: FLAGS.flat() });
  must(await stage.operator.schemas.register({ name: 'any', json_schema: { type: 'object' } }));
  must(await stage.operator.sessions.create({ session_name: 'root', external: true }));
  const state = { schema_name: 'any', initial_data: { items: [] }, root_session_name: 'root' };
  stateId = must(await stage.operator.states.create(state)).state_id;
});
afterAll(() => stage.close());

async function send(method: string, path: string, body: unknown, type = 'application/json') {
  const response = await fetch(`${stage.url}${path.replace('{state}', stateId)}`, {
    method,
    headers: { 'content-type': type },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as Record<string, unknown>;
  return { status: response.status, answer, warning: response.headers.get('countersign-warning') };
}

/** All that there is, as one text: equal texts, nothing written. */
async function everything(): Promise<string> {
  const paths = ['/sessions', '/runs', '/workflow-schemas', '/workflow-states?include=data'];
  const texts = paths.map(async (path) => (await fetch(stage.url + path)).text());
  return (await Promise.all(texts)).join('\n');
}

const state = '/workflow-states/{state}';
const JSON_PATCH = 'application/json-patch+json';
const work = { type: 'start_session', session_name: 'child' };

describe('a size beyond what a flag allows is refused, and nothing is written', () => {
  test.each<[string, string, string, unknown, string, number, string, number]>([
    ['a document', 'PUT', state, { data: { t: textOf(2000) } }, '', 413, 'stateBytesMax', 2000],
    ['a document by parts', 'PATCH', state, [add(1990)], JSON_PATCH, 413, 'stateBytesMax', 2000],
    ['levels of it', 'PUT', state, { data: nested(7) }, '', 422, 'documentDepthMax', 6],
    [
      'operations',
      'PATCH',
      state,
      [add(1), add(1), add(1), add(1)],
      JSON_PATCH,
      422,
      'patchOperationsMax',
      3,
    ],
    [
      'what a patch grows to',
      'PATCH',
      state,
      [add(3100), { op: 'remove', path: '/items/0' }],
      JSON_PATCH,
      413,
      'patchGrowthBytesMax',
      3000,
    ],
    ['a body', 'PUT', state, { data: { t: textOf(9000) } }, '', 413, 'bodyBytesMax', 9000],
    [
      'a schema',
      'POST',
      '/workflow-schemas',
      { name: 'large', json_schema: { type: 'object', description: textOf(1024) } },
      '',
      413,
      'schemaBytesMax',
      1024,
    ],
    ['a prompt', 'POST', '/runs', { ...work, prompt: textOf(1025) }, '', 413, 'promptBytesMax', 1024],
    [
      'a result',
      'POST',
      '/sessions/root/events',
      { type: 'session_stop', result_text: textOf(1025) },
      '',
      413,
      'resultBytesMax',
      1024,
    ],
  ])('%s', async (_what, method, path, body, type, status, limit, maximum) => {
    const before = await everything();
    const refused = await send(method, path, body, type === '' ? undefined : type);
    const error = limit === 'bodyBytesMax' ? 'payload_too_large' : 'limit_exceeded';
    expect(refused).toMatchObject({ status, answer: { error, limit, maximum } });
    expect(await everything()).toBe(before);
  });

  test('sessions of a tree', async () => {
    const create = () => send('POST', '/sessions', { parent_session_name: 'root', external: true });
    for (let count = 1; count < 10; count += 1) expect((await create()).status).toBe(201);
    const before = await everything();
    expect(await create()).toMatchObject({
      status: 422,
      answer: { error: 'limit_exceeded', limit: 'sessionsPerTreeMax', maximum: 10, actual: 11 },
    });
    expect(await everything()).toBe(before);
  });
});

test('from 80 % of the size on: the answer, its header, the log once, and the metrics say so', async () => {
  const near = async () =>
    /countersign_states\{status="near_limit"\} (\d+)/.exec(
      await (await fetch(`${stage.url}/metrics`)).text(),
    )?.[1];
  const put = (length: number) => send('PUT', state, { data: { t: textOf(length) } });
  const warnings = () =>
    stage.coordinator.log.match(/a state is close to the size that it may have/g)?.length ?? 0;
  const size = (length: number) => JSON.stringify({ t: textOf(length) }).length;

  expect(await put(1599 - size(0))).toMatchObject({ status: 200, warning: null });
  expect([await near(), warnings()]).toEqual(['0', 0]);
  for (const bytes of [1600, 2000]) {
    const warned = await put(bytes - size(0));
    expect(warned).toMatchObject({
      status: 200,
      warning: `stateBytesMax; actual=${String(bytes)}; maximum=2000`,
      answer: { warnings: [{ keyword: 'stateBytesMax' }] },
    });
  }
  expect(await put(2001 - size(0))).toMatchObject({ status: 413 });
  expect([await near(), warnings()]).toEqual(['1', 1]);
  expect(await put(0)).toMatchObject({ status: 200, warning: null });
  expect(await near()).toBe('0');
});

test.each([
  [['--max-state-bytes', '1k'], /--max-state-bytes/],
  [
    ['--max-state-bytes', '4000', '--max-body-bytes', '2000'],
    /--max-body-bytes is 2000, less than a document may have/,
  ],
  [['--max-state-bytes', '4000', '--max-patch-growth-bytes', '2000'], /--max-patch-growth-bytes is 2000/],
  [['--max-tree-sessions', '9'], /--max-tree-sessions/],
])('%j does not start', async (flags, said) => {
  const ended = await runProgram(['serve', '--port', '0', '--db', ':memory:', ...flags]);
  expect(ended.code).toBe(2);
  expect(ended.stderr).toMatch(said);
});
