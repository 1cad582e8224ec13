import { defineConfig } from 'vitest/config';
import { schemaWorker } from './test/schema/worker-plugin.js';

export default defineConfig({
  plugins: [schemaWorker()],
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    pool: 'forks',
  },
});
