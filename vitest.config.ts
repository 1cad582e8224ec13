import { configDefaults, defineConfig } from 'vitest/config';
import { schemaWorker } from './test/schema/worker-plugin.js';

export default defineConfig({
  plugins: [schemaWorker()],
  test: {
    include: ['test/**/*.test.ts'],
    // Need programs from elsewhere: `npm run test:clients`.
    exclude: [...configDefaults.exclude, 'test/clients/**'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    pool: 'forks',
  },
});
