// The test projects: `unit` runs in threads of one process without isolation, `processes` starts single commands,
// `postgres` needs a PostgreSQL server, and `whole` runs the built program from outside. `npm test` runs all but the
// last, `npm run test:all` all of them.
import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { workers } from './test/worker-plugin.js';

const cores = availableParallelism();

const SEED = ['test/support/seed.ts'];

/** Tests of the sources as a whole. */
const OF_ALL = ['test/layers.test.ts', 'test/module-state.test.ts'];

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
  'mcp',
  'ports',
  'schema',
  'service',
  'soak',
];

/** Tests of the whole program: the services, agents, pages and packages that users run. They take most of the time. */
const WHOLE = [
  'test/e2e/**/*.test.ts',
  'test/demo/demo.test.ts',
  'test/package/**/*.test.ts',
  // Pages whose commands run as they stand.
  ...['ci', 'client', 'client-pages', 'flags', 'readme', 'tour', 'webhooks'].map(
    (page) => `test/docs/${page}.test.ts`,
  ),
];

/** Tests that need a PostgreSQL server. It is started once, if one of them runs. */
const POSTGRES = [
  'test/store/postgres*.test.ts',
  'test/e2e/postgres*.test.ts',
  'test/e2e/postgres/**/*.test.ts',
];

/** Tests of these projects mostly wait for their processes. */
const FORKS = {
  setupFiles: SEED,
  pool: 'forks' as const,
  maxWorkers: cores + 1,
  testTimeout: 60_000,
  hookTimeout: 60_000,
  sequence: { groupOrder: 0 },
};

export default defineConfig({
  test: {
    projects: [
      {
        plugins: [workers()],
        test: {
          name: 'unit',
          setupFiles: SEED,
          include: UNIT.map((folder) => `test/${folder}/**/*.test.ts`).concat(OF_ALL),
          pool: 'threads',
          isolate: false,
          // One more than the cores: some tests wait.
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
          include: ['test/**/*.test.ts'],
          exclude: [
            ...configDefaults.exclude,
            ...UNIT.map((folder) => `test/${folder}/**`),
            ...OF_ALL,
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
        test: { name: 'whole', include: WHOLE, exclude: POSTGRES, ...FORKS },
      },
      {
        plugins: [workers()],
        test: {
          name: 'postgres',
          include: POSTGRES,
          globalSetup: 'test/support/postgres-setup.ts',
          // Each story of the main job starts several processes.
          maxConcurrency: 3,
          ...FORKS,
        },
      },
    ],
  },
});
