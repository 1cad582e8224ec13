// Checks the first document of a state.
import type { Result } from '../../../domain/errors.js';
import type { JsonObject, JsonValue } from '../../../domain/json/json.js';
import type { AdmittedSchema } from '../../../ports/schema-engine.js';
import { checkShapeAndSize } from '../../documents/shape-and-size.js';
import type { PrepareWriteParts } from '../prepare-write.js';
import { invalidDocument, transitionFailure } from './document-failures.js';

/** @returns The document; or `limit_exceeded`, `validation_failed`, `transition_refused`. */
export async function checkFirstDocument(
  parts: Pick<PrepareWriteParts, 'engine' | 'limits' | 'texts'>,
  schema: AdmittedSchema,
  data: JsonValue,
): Promise<Result<JsonObject>> {
  const sized = checkShapeAndSize(parts, data);
  if (!sized.ok) return sized;
  const document = sized.value;
  const found = await parts.engine.validate(schema, document, parts.texts.bytes(document));
  if (!found.ok) return found;
  if (found.value.length > 0) return invalidDocument(found.value);
  const against = parts.engine.checkChange(schema, undefined, document);
  return against.length > 0 ? transitionFailure(against) : sized;
}
