import { expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.js';
import type { Logger } from '../../../src/ports/runtime.js';
import { StateSizes } from '../../../src/service/documents/state-sizes.js';

it('a state that comes close to its limit is told in the log once for each time', () => {
  const received: unknown[] = [];
  const quiet = () => undefined;
  const logger: Logger = {
    verbose: false,
    debug: quiet,
    info: quiet,
    error: quiet,
    warn: (fields) => received.push(fields),
  };
  const sizes = new StateSizes({ ...DEFAULT_LIMITS, stateBytesMax: 1000 }, logger);
  for (const bytes of [799, 800, 950, 1000]) sizes.note('a', bytes);
  expect(received).toEqual([{ state_id: 'a', bytes: 800, limit: 'stateBytesMax', maximum: 1000 }]);
  sizes.note('a', 100);
  expect(sizes.near).toBe(0);
  sizes.note('a', 900);
  expect(received).toHaveLength(2);
});
