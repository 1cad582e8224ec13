// How many random cases a test tries.

/**
 * All of them, or the share that `COUNTERSIGN_TEST_RUNS` says: `npm test` tries a fifth, `npm run test:all` all, and 10 is
 * ten times as many.
 */
export function runs(all: number): number {
  return Math.ceil(all * Number(process.env['COUNTERSIGN_TEST_RUNS'] ?? '1'));
}
