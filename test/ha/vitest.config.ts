// `npm run test:ha`: PostgreSQL as people run it, with the packages of Debian: PgBouncer, Patroni and etcd. As root, the tests
// install the packages. Part of what CI runs.
import { defineConfig } from 'vitest/config';
import { workers } from '../worker-plugin.js';

export default defineConfig({
  plugins: [workers()],
  test: {
    include: ['test/ha/**/*.test.ts'],
    testTimeout: 180_000,
    hookTimeout: 300_000,
    globalSetup: 'test/support/temporary-folder.ts',
    pool: 'forks',
    fileParallelism: false,
  },
});
