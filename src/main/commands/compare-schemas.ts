// Compares two schemas without a service.
import type { ComparedSchemas } from '../../cli/index.js';
import { ok, type Result } from '../../domain/errors.js';
import type { JsonValue } from '../../domain/json/json.js';
import { DEFAULT_LIMITS } from '../../domain/limits.js';
import { createSchemaEngine } from '../../schema/index.js';

/** @returns The result in both directions; or the failure of the first schema that is unusable. */
export async function compareSchemas(from: JsonValue, to: JsonValue): Promise<Result<ComparedSchemas>> {
  const engine = createSchemaEngine(DEFAULT_LIMITS);
  try {
    const [one, other] = await Promise.all([engine.admit(from, 'document'), engine.admit(to, 'document')]);
    if (!one.ok) return one;
    if (!other.ok) return other;
    return ok({
      backward: await engine.contains(other.value, one.value),
      forward: await engine.contains(one.value, other.value),
    });
  } finally {
    await engine.close();
  }
}
