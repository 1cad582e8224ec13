// Every run of the tests tries the same random cases, so that a run fails only for a change of the code. Other cases:
// `COUNTERSIGN_TEST_SEED=42`, or `=random`.
import fc from 'fast-check';
import { runs } from './runs.js';

const seed = process.env['COUNTERSIGN_TEST_SEED'] ?? '1';
fc.configureGlobal({ numRuns: runs(100), ...(seed !== 'random' && { seed: Number(seed) }) });
