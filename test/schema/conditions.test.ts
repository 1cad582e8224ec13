// Many small conditions at a time: each is compiled once, and stays compiled.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/domain/limits.js';
import { createSchemaEngine } from '../../src/schema/index.js';
import type { SchemaEngine } from '../../src/ports/schema-engine.js';

const CONDITIONS = Array.from({ length: 1000 }, (_, n) => ({
  hash: `condition ${String(n)}`,
  schema: { properties: { n: { const: n } }, required: ['n'] },
}));

describe('a thousand distinct conditions', () => {
  let engine: SchemaEngine;
  beforeEach(() => void (engine = createSchemaEngine(DEFAULT_LIMITS)));
  afterEach(() => engine.close());

  /** Processor time of holding a document against all of them, microseconds. */
  const look = async (document: { readonly n: number }) => {
    const before = process.cpuUsage();
    let matched = 0;
    for (const condition of CONDITIONS) {
      const found = await engine.validate(condition, document, 10);
      if (found.ok && found.value.length === 0) matched += 1;
    }
    const { user, system } = process.cpuUsage(before);
    expect(matched).toBe(1);
    return user + system;
  };

  it('are compiled for the first document, and not for the next', async () => {
    const first = await look({ n: 3 });
    const second = await look({ n: 4 });
    expect(second).toBeLessThan(first / 3);
  });
});
