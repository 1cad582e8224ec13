// The test projects: `unit` runs in threads of one process without isolation, `processes` starts single commands,
// `postgres` needs a PostgreSQL server, `whole` runs the built program from outside, and `whole-on-postgres` the main job
// once more on that server. `npm test` runs the first three, of `postgres` what tries the store; `npm run test:all` runs
// all of them.
import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { configDefaults, defineConfig } from 'vitest/config';
import { workers } from './test/worker-plugin.js';

const cores = availableParallelism();

// Most code of the tests runs a few times only: optimizing it would take a quarter of their time. Newer V8 has no such flag.
if (process.versions.v8.startsWith('11.')) setFlagsFromString('--interrupt-budget=2000000');

const SEED = ['test/support/seed.ts'];

/**
 * Tests that run in one process without isolation. They must not use anything global to a process: starting
 * programs, `process.env`, `chdir`.
 */
const UNIT = [
  'agent-clients',
  'client',
  'document',
  'domain',
  'http',
  'lib',
  'mcp',
  'schema',
  'service',
  'soak',
];

/**
 * Tests that take seconds of computing: large documents, growth, long times, random cases, every request, keyword or client
 * in turn, each way to open a store, and what other programs say of ours.
 */
const LONG = [
  'test/document/merge/positional.test.ts',
  'test/doctor/random-lives.test.ts',
  'test/domain/decisions/settle.property.test.ts',
  'test/http/bad-input.test.ts',
  'test/http/openapi/document.test.ts',
  'test/http/openapi/examples.test.ts',
  'test/http/openapi/fuzz.test.ts',
  'test/module-state.test.ts',
  'test/schema/ajv/many-errors.test.ts',
  'test/schema/compatibility/contains.property.test.ts',
  'test/schema/conditions.test.ts',
  'test/schema/keyword-table.test.ts',
  'test/schema/possible/possibilities.property.test.ts',
  'test/service/access/client-tokens.test.ts',
  'test/service/evidence/random-histories.test.ts',
  'test/service/scheduling/retention.test.ts',
  'test/service/scheduling/stood-still.test.ts',
  'test/service/scheduling/time-away.test.ts',
  'test/service/sessions/lost-sessions.test.ts',
  'test/service/transactions/keyed-requests.test.ts',
  'test/service/writes/large-writes.test.ts',
  'test/service/writes/many-states.test.ts',
  'test/store/sqlite/thread-and-memory.test.ts',
];

/** Tests of these layers that wait for sockets, or for worker threads until their time is up. */
const WAITING = [
  'http/caller-ends',
  'http/listen',
  'http/silent-readers',
  'http/sockets',
  'http/streams',
  'schema/engine',
  'service/webhooks/sender',
  'service/webhooks/webhook-service',
].map((name) => `test/${name}.test.ts`);

/** Tests of the whole program: the services, agents, pages and packages that users run. They take most of the time. */
const WHOLE = [
  'test/dashboard/**/*.test.ts',
  'test/e2e/**/*.test.ts',
  'test/ha/**/*.test.ts',
  'test/demo/{demo,workflow}.test.ts',
  'test/package/**/*.test.ts',
  // Pages whose commands run as they stand.
  ...['ci', 'client', 'client-pages', 'flags', 'readme', 'tour', 'webhooks'].map(
    (page) => `test/docs/${page}.test.ts`,
  ),
];

/** Tests that need a PostgreSQL server. It is started once, if one of them runs. */
const POSTGRES = ['test/store/postgres/**/*.test.ts', 'test/e2e/postgres/**/*.test.ts'];

/** Stories of the main job. They run on a file with the whole program, and on PostgreSQL. */
const MAIN_JOB = [
  'test/e2e/{access,completion,hooks,mcp,runs,states,workflow}/**/*.test.ts',
  'test/e2e/outages/outages.test.ts',
  'test/e2e/webhooks.test.ts',
];

/** These start their programs themselves, on a file. */
const ON_A_FILE = [
  'access/unsendable-tokens',
  // On PostgreSQL it is test/e2e/postgres/main-job.test.ts.
  'completion/completion',
  'mcp/deep',
  'states/concurrency',
  'states/mirror',
  'states/mirror-git',
  'states/streams',
].map((name) => `test/e2e/${name}.test.ts`);

/** Those that run the whole program, call one program after the other, or try every damage of a history. */
const LONG_ON_POSTGRES = [
  'test/e2e/postgres/**/*.test.ts',
  'test/store/postgres/copy.test.ts',
  'test/store/postgres/edited-values.test.ts',
  'test/store/postgres/evidence.test.ts',
  'test/store/postgres/round-robin.test.ts',
];

/** Tests of these projects mostly wait for their processes. Files share a process, one after the other: they put back what they change in it. */
const FORKS = {
  setupFiles: SEED,
  pool: 'forks' as const,
  isolate: false,
  maxWorkers: cores + 1,
  testTimeout: 60_000,
  hookTimeout: 60_000,
  sequence: { groupOrder: 0 },
};

/** `npm test` (`--mode quick`) tries a fifth of the random cases, see test/support/runs.ts, and none of the longest tests. */
export default defineConfig(({ mode }) => ({
  test: {
    globalSetup: 'test/support/temporary-folder.ts',
    // The projects share what they have compiled, in node_modules.
    experimental: { fsModuleCache: true },
    env: mode === 'quick' ? { COUNTERSIGN_TEST_RUNS: '0.2' } : {},
    projects: [
      {
        plugins: [workers()],
        test: {
          name: 'unit',
          setupFiles: SEED,
          include: UNIT.map((folder) => `test/${folder}/**/*.test.ts`),
          exclude: [...configDefaults.exclude, ...LONG, ...WAITING],
          pool: 'threads',
          isolate: false,
          // Each worker imports all sources.
          maxWorkers: cores + 1,
          testTimeout: 20_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        plugins: [workers()],
        test: {
          name: 'processes',
          include: ['test/*.test.ts', `test/!(${UNIT.join('|')})/**/*.test.ts`, ...WAITING],
          exclude: [
            ...configDefaults.exclude,
            ...LONG,
            ...WHOLE,
            ...POSTGRES,
            // Need external programs: `npm run test:clients`.
            'test/clients/**',
          ],
          ...FORKS,
        },
      },
      {
        plugins: [workers()],
        test: { name: 'whole', include: [...LONG, ...WHOLE], exclude: POSTGRES, ...FORKS },
      },
      {
        plugins: [workers()],
        test: {
          name: 'postgres',
          include: POSTGRES,
          exclude: [...configDefaults.exclude, ...(mode === 'quick' ? LONG_ON_POSTGRES : [])],
          globalSetup: 'test/support/postgres-setup.ts',
          // Each story of the main job starts several processes.
          maxConcurrency: 3,
          ...FORKS,
        },
      },
      {
        plugins: [workers()],
        test: {
          name: 'whole-on-postgres',
          include: MAIN_JOB,
          exclude: [...configDefaults.exclude, ...ON_A_FILE],
          globalSetup: 'test/support/postgres-setup.ts',
          env: { COUNTERSIGN_TEST_STORE: 'postgres' },
          maxConcurrency: 3,
          ...FORKS,
        },
      },
    ],
  },
}));
