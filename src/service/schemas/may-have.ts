// Whether documents of a schema may have a member at all.
import { formatPointer } from '../../domain/json/pointer.js';
import type { AdmittedSchema, SchemaEngine } from '../../ports/schema-engine.js';

/** False only if it is certain that no document of the schema has a top-level member of this name. */
export function mayHave(
  engine: Pick<SchemaEngine, 'ruledOut'>,
  schema: AdmittedSchema,
  name: string,
): boolean {
  return engine.ruledOut(schema, { pointer: formatPointer([name]) }) === null;
}
