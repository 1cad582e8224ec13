// Values and rows of a tree's records are edited at random, while the service runs or between two starts. Whatever it is:
// another tree goes through both phases, every list is shown, and in the end nobody waits for a child.
import Database, { type Database as Client } from 'better-sqlite3';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RecordDamagedError } from '../../../src/domain/damage/damage.js';
import { keepStatements } from '../../../src/store/sqlite/kept-statements.js';
import { must, openHarness, PlayedRunner, type Harness } from '../../service/harness.js';
import { runs } from '../../support/runs.js';

const DAY_MS = 26 * 3_600_000;
/** More than a child can take that no runner asks for its result. */
const DAYS = 12;

beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => undefined));
afterEach(() => vi.restoreAllMocks());

/** Values that the service would write in few columns, or in none. */
const ODD = [
  null,
  -1,
  0,
  1,
  2,
  1e300,
  4_102_444_800_000,
  9007199254740993n,
  '',
  'x',
  '{}',
  '[]',
  '"x"',
  'null',
];

const edits = fc.array(
  fc.record({
    table: fc.nat(),
    row: fc.nat(),
    column: fc.nat(),
    change: fc.oneof(
      { weight: 2, arbitrary: fc.constant({ kind: 'removed' as const }) },
      { weight: 6, arbitrary: fc.record({ kind: fc.constant('swapped' as const), other: fc.nat() }) },
      {
        weight: 6,
        arbitrary: fc.record({ kind: fc.constant('odd' as const), value: fc.constantFrom(...ODD) }),
      },
    ),
  }),
  { minLength: 1, maxLength: 3 },
);

type Edit = typeof edits extends fc.Arbitrary<readonly (infer One)[]> ? One : never;

const at = <T>(list: readonly T[], index: number): T | undefined => list[index % list.length];

/** @returns What was edited; `null` where the database refuses it. */
function edit(client: Client, { table, row, column, change }: Edit): string | null {
  const tables = client
    .prepare(
      "select name from sqlite_schema where type = 'table' and name not like 'sqlite%' and name <> '__drizzle_migrations'",
    )
    .pluck()
    .all()
    .filter((name) => name !== 'settings')
    .map(String);
  const name = at(tables, table) ?? '';
  const id = at(client.prepare(`select rowid from ${name}`).pluck().all(), row);
  const before = client
    .prepare<[unknown], Record<string, unknown>>(`select * from ${name} where rowid = ?`)
    .get(id);
  if (before === undefined) return null;
  // 0 is an allowed value there: the child is never lost.
  const members = Object.keys(before).filter((one) => one !== 'heartbeat_timeout_ms');
  const member = at(members, column) ?? '';
  try {
    if (change.kind === 'removed') {
      client.prepare(`delete from ${name} where rowid = ?`).run(id);
      return `${name}: ${JSON.stringify(before)} removed`;
    }
    const others = client.prepare(`select ${member} from ${name}`).pluck().all();
    const value = change.kind === 'odd' ? change.value : at(others, change.other);
    client.prepare(`update ${name} set ${member} = ? where rowid = ?`).run(value, id);
    return `${name}.${member}: ${String(before[member])} became ${String(value)}, in ${JSON.stringify(before)}`;
  } catch (error) {
    if (error instanceof Database.SqliteError) return null;
    throw error;
  }
}

const terms = (name: string) => ({ contract: { pointer: `/${name}`, schema: { type: 'integer' } } });

async function child(harness: Harness, parent: string, name: string): Promise<void> {
  const session = { session_name: name, external: true, callback: true, completion: terms(name) };
  must(await (await harness.as(parent)).sessions.create(session));
}

async function newTree(harness: Harness, root: string, schema: string): Promise<string> {
  must(await harness.operator.schemas.register({ name: schema, json_schema: { type: 'object' } }));
  must(await harness.operator.sessions.create({ session_name: root, external: true }));
  const states = (await harness.as(root)).states;
  return must(await states.create({ schema_name: schema, initial_data: {} })).state_id;
}

const stop = async (harness: Harness, name: string) =>
  (await harness.as(name)).sessions.report(name, { type: 'session_stop', result_text: `said by ${name}` });

const write = async (harness: Harness, stateId: string, name: string) =>
  (await harness.as(name)).states.patch(stateId, [{ op: 'add', path: `/${name}`, value: 1 }], {});

/** Children at work, asked, recorded, failed and acknowledged, below each other, and with a runner. */
async function growTree(harness: Harness): Promise<string> {
  const { operator } = harness;
  const stateId = await newTree(harness, 'root', 'any');
  must(await operator.webhooks.create({ url: 'http://127.0.0.1:9/', events: ['workflow_state_updated'] }));
  for (const name of ['works', 'asked', 'wrote', 'failed', 'done']) await child(harness, 'root', name);
  await child(harness, 'works', 'below');
  for (const name of ['asked', 'below', 'done']) must(await stop(harness, name));
  for (const name of ['wrote', 'done']) must(await write(harness, stateId, name));
  for (let times = 0; times < 4; times += 1) must(await stop(harness, 'failed'));
  await harness.pass(1);
  const root = await harness.as('root');
  for (const { callback_id } of must(await root.sessions.pullCallbacks('root', 0)).items)
    must(await root.callbacks.acknowledge(callback_id));
  const runner = await PlayedRunner.register(harness);
  for (const name of ['busy', 'line']) {
    const run = { type: 'start_session', session_name: name, prompt: 'go', callback: true } as const;
    must(await root.runs.create({ ...run, completion: terms(name) }));
  }
  await runner.take('busy');
  return stateId;
}

/** A call that is refused, or that a damaged record makes impossible. */
async function tried(call: () => Promise<unknown>): Promise<void> {
  await call().catch((error: unknown) => {
    const isRefusal = error instanceof Error && /^[a-z_]+: /.test(error.message);
    if (!(error instanceof RecordDamagedError) && !isRefusal) throw error;
  });
}

/** A tree of its own goes through both phases. */
async function wholeLifecycle(harness: Harness, name: string): Promise<void> {
  const stateId = await newTree(harness, name, `schema-of-${name}`);
  await child(harness, name, `${name}-kid`);
  expect(must(await stop(harness, `${name}-kid`)).request).toMatchObject({ attempt: 1 });
  must(await write(harness, stateId, `${name}-kid`));
  await harness.pass(1);
  const { items } = must(await (await harness.as(name)).sessions.pullCallbacks(name, 0));
  expect(items).toMatchObject([{ outcome: 'completed', metadata: { callback_source: `${name}-kid` } }]);
}

async function everyList({ operator }: Harness): Promise<void> {
  const { sessions, callbacks, states, schemas, webhooks, runners, operations } = operator;
  const all = { limit: 100 };
  must(await sessions.list(all));
  must(await sessions.completions(all));
  must(await callbacks.list(all));
  must(await operator.runs.list(all));
  must(await states.list(all));
  must(await schemas.list(all));
  must(await webhooks.list(all));
  must(await runners.list());
  must(await operations.overview());
  must(await operations.doctor());
}

/** The children that somebody waits for. */
function awaited(client: Client): readonly unknown[] {
  const open = client.prepare(
    `select s.session_name, c.status from sessions s
       join completions c on c.session_id = s.session_id and c.generation = s.generation
     where s.parent_session_id is not null and c.released_at is null
     union all select child_session_name, status from callbacks where status = 'held'`,
  );
  return open.all();
}

function withFile<T>(harness: Harness, use: (client: Client) => T): T {
  const client = keepStatements(new Database(harness.db));
  try {
    return use(client);
  } finally {
    client.close();
  }
}

it(
  'no edit of a database keeps others from their work, or leaves a parent waiting',
  { timeout: 900_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(edits, fc.boolean(), async (changes, isBetweenStarts) => {
        const harness = await openHarness({ environmentRetriesMax: 1 }, false, { allow: ['127.0.0.0/8'] });
        try {
          const stateId = await growTree(harness);
          let edited: readonly (string | null)[] = [];
          const change = () =>
            (edited = withFile(harness, (client) => changes.map((one) => edit(client, one))));
          if (isBetweenStarts) await harness.restart(undefined, change);
          else change();
          await harness.pass(1000);
          await wholeLifecycle(harness, 'other');
          for (const name of ['works', 'asked', 'wrote', 'failed', 'done', 'below']) {
            await tried(() => stop(harness, name));
            await tried(() => write(harness, stateId, name));
          }
          await everyList(harness);
          for (let days = 0; days < DAYS; days += 1) await harness.pass(DAY_MS);
          await wholeLifecycle(harness, 'later');
          expect({ edited, awaited: withFile(harness, awaited) }).toEqual({ edited, awaited: [] });
        } finally {
          await harness.close();
        }
      }),
      { numRuns: runs(20), endOnFailure: true },
    );
  },
);
