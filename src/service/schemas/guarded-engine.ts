// Wraps the schema engine for the service: a stored schema that cannot be applied is a damaged record, not a bug.
import { RecordDamagedError } from '../../domain/damage/damage.js';
import { messageOf } from '../../domain/text.js';
import { NoThreadError, type AdmittedSchema, type SchemaEngine } from '../../ports/schema-engine.js';

/** @returns The engine. An error that it throws for a schema becomes a `RecordDamagedError`, except `NoThreadError`. */
export function guardedEngine(engine: SchemaEngine): SchemaEngine {
  return {
    get cacheBytes() {
      return engine.cacheBytes;
    },
    admit: (schema, use) => engine.admit(schema, use),
    validate: (schema, document, bytes, change) => {
      const found = guarded(schema, () => engine.validate(schema, document, bytes, change));
      return found instanceof Promise
        ? found.catch((error: unknown) => {
            throw damaged(schema, error);
          })
        : found;
    },
    checkChange: (schema, before, after) => guarded(schema, () => engine.checkChange(schema, before, after)),
    itemKeyAt: (schema, pointer) => guarded(schema, () => engine.itemKeyAt(schema, pointer)),
    ruledOut: (schema, terms) => guarded(schema, () => engine.ruledOut(schema, terms)),
    exampleOf: (schema, terms) => orNone(() => engine.exampleOf(schema, terms)),
    work: (work) => engine.work(work),
    contains: (wider, narrower) => engine.contains(wider, narrower),
    close: () => engine.close(),
  };
}

/** Returns `null` on errors. An example is optional; calls that need the schema report the damaged record. */
function orNone<T>(work: () => T | null): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}

function guarded<T>(schema: Pick<AdmittedSchema, 'hash'>, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw damaged(schema, error);
  }
}

function damaged({ hash }: Pick<AdmittedSchema, 'hash'>, error: unknown): Error {
  if (error instanceof NoThreadError) return error;
  const message = messageOf(error).slice(0, 300);
  const what = `cannot be applied (${message})`;
  return new RecordDamagedError({ kind: 'schema', id: hash.slice(0, 16), column: 'json_schema', what });
}
