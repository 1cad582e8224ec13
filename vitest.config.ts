// The test projects: `unit` runs in threads of one process without isolation, `processes` runs all other tests.
import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { workers } from './test/worker-plugin.js';

const cores = availableParallelism();

/** Tests of the sources as a whole. */
const OF_ALL = ['test/layers.test.ts', 'test/module-state.test.ts'];

/**
 * Tests that run in one process without isolation. They must not use anything global to a process: starting
 * programs, `process.env`, `chdir`.
 */
const UNIT = ['client', 'document', 'domain', 'http', 'mcp', 'ports', 'schema', 'service', 'soak'];

export default defineConfig({
  test: {
    projects: [
      {
        plugins: [workers()],
        test: {
          name: 'unit',
          include: UNIT.map((folder) => `test/${folder}/**/*.test.ts`).concat(OF_ALL),
          pool: 'threads',
          isolate: false,
          maxWorkers: cores,
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
            // Need external programs: `npm run test:clients`.
            'test/clients/**',
          ],
          pool: 'forks',
          // These tests mostly wait for their processes.
          maxWorkers: cores + 1,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 0 },
        },
      },
    ],
  },
});
