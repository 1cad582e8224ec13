// `npm run test:conformance`: what needs packages of others from npm, and so is no part of `npm test`.
import { defineConfig } from 'vitest/config';
import { workers } from '../worker-plugin.js';

export default defineConfig({
  plugins: [workers()],
  test: {
    include: ['test/conformance/*.suite.ts'],
    testTimeout: 300_000,
    hookTimeout: 600_000,
    globalSetup: 'test/support/temporary-folder.ts',
    pool: 'forks',
    fileParallelism: false,
  },
});
