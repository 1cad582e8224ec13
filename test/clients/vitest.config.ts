// `npm run test:clients`: what needs the real clients, and time. Never part of `npm test`.
import { defineConfig } from 'vitest/config';
import { workers } from '../worker-plugin.js';

export default defineConfig({
  plugins: [workers()],
  test: {
    include: ['test/clients/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 600_000,
    pool: 'forks',
    fileParallelism: false,
  },
});
