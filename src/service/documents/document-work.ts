// Work on documents: at once where it is small, in another thread under a deadline where it may take long.
import { ok, type Result } from '../../domain/errors.js';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import type { Limits } from '../../domain/limits.js';
import type { Patch } from '../../domain/json/patch.js';
import type { MaybePromise } from '../../lib/maybe-promise.js';
import type { AdmittedSchema, DocumentWorked, SchemaEngine, WriteForm } from '../../ports/schema-engine.js';
import { applyForm, diffDocuments, mergeOnto, type Conflicts, type Patched } from '../../document/index.js';
import type { DocumentTexts } from './document-texts.js';

interface Parts {
  readonly engine: SchemaEngine;
  readonly texts: DocumentTexts;
  readonly limits: Limits;
}

/** Operations that are carried out at once on a document of any size: each copies what it passes through, at most. */
const FEW_OPERATIONS = 8;

/** Shortest JSON text of a value with what separates it from the next: bounds the number of values by the bytes. */
const VALUE_BYTES_MIN = 2;

/** What a write makes of a document. */
export function applyTo(
  { engine, limits, texts }: Parts,
  document: JsonObject,
  form: WriteForm,
  payload: JsonValue,
): MaybePromise<Result<Patched>> {
  if (!isLargeWrite(texts, document, form, payload, limits))
    return applyForm(document, form, payload, limits);
  const work = {
    kind: 'apply',
    form,
    document: texts.text(document),
    payload: JSON.stringify(payload),
  } as const;
  return engine.work(work).then((found) => patchedOf(found, texts));
}

/** The documents of a merge, and the schema that names the keys of items. */
interface MergeTask {
  readonly base: JsonObject;
  readonly current: JsonObject;
  readonly yours: JsonObject;
  readonly schema: AdmittedSchema;
  readonly overwrite: boolean;
}

export function mergeOn(
  { engine, limits, texts }: Parts,
  { schema, overwrite, ...sides }: MergeTask,
): MaybePromise<Result<{ readonly patched: Patched } | { readonly conflicts: Conflicts }>> {
  if (!areMany(texts, [sides.base, sides.current, sides.yours], limits)) {
    const keyOf = (pointer: string) => engine.itemKeyAt(schema, pointer);
    return ok(mergeOnto(sides, keyOf, overwrite, limits));
  }
  const work = {
    kind: 'merge',
    base: texts.text(sides.base),
    current: texts.text(sides.current),
    yours: texts.text(sides.yours),
    schema: schema.schema,
    overwrite,
  } as const;
  return engine.work(work).then((found) => {
    if (!found.ok) return found;
    if ('conflicts' in found.value) return ok({ conflicts: found.value.conflicts });
    const patched = patchedOf(found, texts);
    return patched.ok ? ok({ patched: patched.value }) : patched;
  });
}

/** The patch that leads from one document to another. */
export function differenceOf(
  { engine, limits, texts }: Parts,
  from: JsonObject,
  to: JsonObject,
): MaybePromise<Result<Patch>> {
  if (!areMany(texts, [from, to], limits)) return ok(diffDocuments(from, to));
  const work = { kind: 'diff', from: texts.text(from), to: texts.text(to) } as const;
  return engine.work(work).then((found) => {
    if (!found.ok) return found;
    if (!('patch' in found.value)) throw new Error('a comparison came to no patch');
    return ok(JSON.parse(found.value.patch) as Patch);
  });
}

function patchedOf(found: Result<DocumentWorked>, texts: DocumentTexts): Result<Patched> {
  if (!found.ok) return found;
  if (!('document' in found.value)) throw new Error('a write came to no document');
  const { document: text, patch: patchText, keepsShape } = found.value;
  const document = JSON.parse(text) as JsonValue;
  if (isJsonObject(document)) texts.note(document, text);
  return ok({ document, patch: JSON.parse(patchText) as Patch, patchText, keepsShape });
}

function isLargeWrite(
  texts: DocumentTexts,
  document: JsonObject,
  form: WriteForm,
  payload: JsonValue,
  limits: Limits,
): boolean {
  const given = texts.valueCount(payload, limits.documentDepthMax + 1);
  if (given > limits.inlineWriteValuesMax) return given !== Infinity;
  const isWhole = form === 'replace' || form === 'revert';
  const few = isJsonArray(payload) ? payload.length <= FEW_OPERATIONS : true;
  if (!isWhole && few) return false;
  return given + valuesOf(texts, document, limits) > limits.inlineWriteValuesMax;
}

function areMany(texts: DocumentTexts, documents: readonly JsonObject[], limits: Limits): boolean {
  const values = documents.reduce((sum, document) => sum + valuesOf(texts, document, limits), 0);
  return values > limits.inlineWriteValuesMax;
}

/** How many values a document holds; estimated from its text if that is cached and small. */
function valuesOf(
  texts: DocumentTexts,
  document: JsonObject,
  { inlineWriteValuesMax, documentDepthMax }: Limits,
): number {
  const atMost = (texts.cachedBytes(document) ?? Infinity) / VALUE_BYTES_MIN;
  return atMost * 4 <= inlineWriteValuesMax ? atMost : texts.valueCount(document, documentDepthMax + 1);
}
