// The check of a document before its schema is asked: an object, not too deep, not too large.
import { checkDocument } from '../../document/index.js';
import type { Result } from '../../domain/errors.js';
import type { JsonObject, JsonValue } from '../../domain/json/json.js';
import type { Limits } from '../../domain/limits.js';
import { checkStateSize } from '../../domain/states/size.js';
import type { DocumentTexts } from './document-texts.js';

interface Parts {
  readonly texts: DocumentTexts;
  readonly limits: Limits;
}

/** @returns The document; or the failures of `checkDocument` and `checkStateSize`. */
export function checkShapeAndSize({ limits, texts }: Parts, data: JsonValue): Result<JsonObject> {
  const checked = checkDocument(data, limits);
  if (!checked.ok) return checked;
  const sized = checkStateSize(texts.bytes(checked.value), limits);
  return sized.ok ? checked : sized;
}
