// Which errors of the engine make a stored schema a damaged record.
import { describe, expect, it } from 'vitest';
import { RecordDamagedError } from '../../../src/domain/damage/damage.js';
import { DEFAULT_LIMITS } from '../../../src/domain/limits.js';
import { NoThreadError } from '../../../src/ports/schema-engine.js';
import { RecordRetries } from '../../../src/service/scheduling/record-retries.js';
import { guardedEngine } from '../../../src/service/schemas/guarded-engine.js';
import { sharedEngine } from '../../support/shared-engine.js';

const SCHEMA = { hash: 'a'.repeat(64), schema: {} };

async function thrownFor(error: Error): Promise<unknown> {
  const engine = guardedEngine({
    ...sharedEngine(DEFAULT_LIMITS),
    validate: () => Promise.reject(error),
  });
  try {
    return await engine.validate(SCHEMA, {}, 2);
  } catch (thrown) {
    return thrown;
  }
}

describe('a schema that could not be applied', () => {
  it('is a damaged record', async () => {
    expect(await thrownFor(new Error('no such keyword'))).toBeInstanceOf(RecordDamagedError);
  });

  it('is none if the system gave no thread, and nothing is ever given up for it', async () => {
    const error = new NoThreadError('no thread');
    expect(await thrownFor(error)).toBe(error);
    const retries = new RecordRetries(DEFAULT_LIMITS);
    const given = Array.from({ length: DEFAULT_LIMITS.recordFailuresMax + 1 }, () =>
      retries.failed('a', error, 0),
    );
    expect(given).not.toContain(true);
    expect(retries.isWaiting('a', 0)).toBe(true);
  });
});
