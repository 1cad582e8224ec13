import { configDefaults, defineConfig } from 'vitest/config';
import { workers } from './test/worker-plugin.js';

export default defineConfig({
  plugins: [workers()],
  test: {
    include: ['test/**/*.test.ts'],
    // Need programs from elsewhere: `npm run test:clients`.
    exclude: [...configDefaults.exclude, 'test/clients/**'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    pool: 'forks',
  },
});
