// Static checks of an untrusted schema, before Ajv gets it: size, depth, names, draft, references, own
// keywords, cost. Cheap enough for the main thread.
import { ok, fail, type Result, type Violation } from '../../domain/errors.js';
import { isJsonObject, jsonTypeOf, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import type { Limits } from '../../domain/limits.js';
import { formatPointer } from '../../domain/json/pointer.js';
import { draftNamed, draftOf, SCHEMA_URIS, type Draft } from '../lowering/draft.js';
import { effectiveSchema } from '../lowering/effective.js';
import { FORMATS } from '../ajv/formats.js';
import { outlineOf, resolveUri, subschemasUnder, type Subschema } from '../lowering/outline.js';
import { OWN_KEYWORDS } from '../lowering/own-keywords.js';
import { profileOf, type Profile } from './profile.js';
import { References } from '../lowering/reference.js';
import { scan } from '../../domain/json/scan.js';
import { textSize } from '../../domain/json/text-size.js';
import { hasLoneSurrogate } from '../../domain/text.js';
import { draftAmbiguities } from './draft-ambiguities.js';
import { insteadOf, isKeyword } from '../lowering/vocabulary.js';

/**
 * An `invalid_schema` failure with the locations at fault.
 *
 * @param violations - At least one. The detail contains the first.
 */
export function invalidSchema(violations: readonly Violation[]) {
  const [first] = violations;
  const where = first === undefined || first.pointer === '' ? 'The schema' : first.pointer;
  return fail('invalid_schema', `${where}: ${first?.message ?? 'cannot be used'}`, { errors: violations });
}

function violation(pointer: string, keyword: string, message: string, expected: JsonValue): Violation {
  return { pointer, keyword, message, expected };
}

/**
 * Checks a schema without compiling it.
 *
 * @returns The schema and its profile; or `limit_exceeded`, `invalid_schema`, `schema_too_complex`.
 */
export function admitStatically(
  schema: JsonValue,
  use: 'document' | 'value',
  limits: Limits,
): Result<{ readonly schema: JsonObject; readonly profile: Profile }> {
  if (!isJsonObject(schema)) {
    const message = `a schema must be an object, not ${jsonTypeOf(schema)}`;
    return invalidSchema([violation('', 'type', message, { type: 'object' })]);
  }
  const bounds = checkBounds(schema, limits);
  if (bounds !== null) return bounds;
  const draft = draftOf(schema);
  if (draft === null) {
    const uris = Object.values(SCHEMA_URIS);
    const message = `must name one of the known drafts: ${uris.join(', ')}`;
    return invalidSchema([violation('/$schema', '$schema', message, { enum: uris })]);
  }
  const outline = outlineOf(schema, limits.schemaSubschemasMax);
  if (outline.length > limits.schemaSubschemasMax) {
    return exceeded('schemaSubschemasMax', limits.schemaSubschemasMax, outline.length, '', 'subschemas');
  }
  const effective = outlineOf(effectiveSchema(schema));
  const references = new References(effective);
  const violations = [
    ...effective.flatMap((subschema) => referenceViolations(subschema, references)),
    ...references.duplicates.map(duplicateViolation),
    ...outline.flatMap(nameViolations),
    ...outline.flatMap((subschema) => keywordViolations(subschema, draft)),
  ];
  if (violations.length > 0) return invalidSchema(violations.slice(0, limits.violationsMax));
  if (use === 'document' && !describesObject(effective, references)) {
    const message = 'the top level must describe an object: give it "type": "object"';
    return invalidSchema([violation('/type', 'type', message, { const: 'object' })]);
  }
  const ambiguities = draftAmbiguities(schema);
  if (ambiguities.length > 0) return invalidSchema(ambiguities.slice(0, limits.violationsMax));
  return checkCost(schema, limits);
}

function exceeded(limit: keyof Limits, maximum: number, actual: number, pointer: string, what: string) {
  const members = { limit, maximum, actual, pointer };
  return fail('limit_exceeded', `The schema has more than ${maximum} ${what}`, members);
}

function checkBounds(schema: JsonObject, limits: Limits) {
  const bytes = textSize(schema, limits.schemaBytesMax);
  if (bytes > limits.schemaBytesMax) {
    return exceeded('schemaBytesMax', limits.schemaBytesMax, bytes, '', 'bytes');
  }
  const result = scan(schema, limits.schemaDepthMax);
  if (result.found === 'depth') {
    const { depth, pointer } = result;
    return exceeded('schemaDepthMax', limits.schemaDepthMax, depth, pointer, 'levels of objects and arrays');
  }
  if (result.found === 'name') {
    const message = `the member name "${result.name}" is not allowed in schemas and documents`;
    return invalidSchema([
      violation(result.pointer, 'propertyNames', message, { not: { const: result.name } }),
    ]);
  }
  return null;
}

function referenceViolations(subschema: Subschema, references: References): Violation[] {
  // The meta-schema reports references that are no strings.
  return references.of(subschema).flatMap(({ keyword, reference, targets }) => {
    if (targets.length > 0) return [];
    const message = `"${reference.slice(0, 200)}" leads to no subschema of this document; nothing is fetched`;
    return [
      violation(`${subschema.pointer}/${keyword}`, keyword, message, 'a reference such as "#/$defs/name"'),
    ];
  });
}

function duplicateViolation({ pointer, schema }: Subschema): Violation {
  const keyword =
    ['$anchor', '$dynamicAnchor', '$id'].find((one) => isJsonObject(schema) && one in schema) ?? '$id';
  const message = 'another subschema has the same name already';
  return violation(`${pointer}/${keyword}`, keyword, message, 'a name of its own');
}

function keywordViolations({ schema, pointer }: Subschema, draft: Draft): Violation[] {
  if (typeof schema === 'boolean') return [];
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const at = pointer + formatPointer([keyword]);
    if (!isKeyword(draft, keyword)) {
      const message = `the keyword ${JSON.stringify(keyword.slice(0, 100))} is not known in ${draft}`;
      return [violation(at, 'additionalProperties', message, insteadOf(keyword))];
    }
    const own = Object.hasOwn(OWN_KEYWORDS, keyword) ? OWN_KEYWORDS[keyword] : undefined;
    if (own !== undefined && !own.accepts(value)) {
      return [violation(at, keyword, `must be ${own.expected}`, own.expected)];
    }
    if (own?.ofWhole === true && pointer !== '') {
      return [violation(at, keyword, 'has a meaning at the top of a schema only', 'the same at the top')];
    }
    const isData = isJsonObject(value) && Object.hasOwn(value, '$data');
    if (isData && !['const', 'default', 'properties', '$defs', 'definitions'].includes(keyword)) {
      return [violation(at, keyword, '$data references are not supported', 'a fixed value')];
    }
    if (keyword === '$schema' && pointer !== '' && draftNamed(value) !== draft) {
      const message = `all of a schema is of one draft, which is ${draft} here`;
      return [violation(at, keyword, message, SCHEMA_URIS[draft])];
    }
    if (keyword === 'format' && typeof value === 'string' && !FORMATS.includes(value)) {
      const message = `the format ${JSON.stringify(value.slice(0, 100))} is not known; known are ${FORMATS.join(', ')}`;
      return [violation(at, keyword, message, { enum: FORMATS })];
    }
    return [];
  });
}

/** Keywords with names of members, which become parts of URIs in Ajv. */
const NAMED = new Set(['properties', 'patternProperties', 'dependentSchemas', 'dependencies']);

function nameViolations({ pointer, schema, base }: Subschema): Violation[] {
  if (typeof schema === 'boolean') return [];
  const { $id } = schema;
  const found: Violation[] = [];
  if (typeof $id === 'string' && resolveUri($id, base) === null) {
    found.push(violation(`${pointer}/$id`, '$id', 'is not a URI reference', 'a name such as "item"'));
  }
  for (const { keyword, key } of subschemasUnder(schema)) {
    if (!NAMED.has(keyword) || !hasLoneSurrogate(String(key))) continue;
    const message = 'the name holds half of a surrogate pair, which is no character';
    found.push(
      violation(
        pointer + formatPointer([keyword, String(key)]),
        keyword,
        message,
        'a name of whole characters',
      ),
    );
  }
  return found;
}

/** True if the schema certainly accepts only objects, as far as `type`, `allOf` and `$ref` show. */
function describesObject(outline: readonly Subschema[], references: References): boolean {
  const seen = new Set<number>();
  const visit = (index: number): boolean => {
    const subschema = outline[index];
    if (subschema === undefined || typeof subschema.schema === 'boolean' || seen.has(index)) return false;
    seen.add(index);
    const { type, $ref } = subschema.schema;
    if (type === 'object') return true;
    if (Array.isArray(type) && type.length === 1 && type[0] === 'object') return true;
    const referred = typeof $ref === 'string' ? references.targets(subschema, '$ref', $ref) : [];
    const all = subschema.children.filter(({ keyword }) => keyword === 'allOf');
    return referred.some((target) => visit(target.index)) || all.some((child) => visit(child.index));
  };
  return visit(0);
}

function checkCost(schema: JsonObject, limits: Limits) {
  const profile = profileOf(schema, limits.documentDepthMax);
  if ('loop' in profile) {
    const message = 'leads back to itself without going deeper into the document, so checking it never ends';
    return invalidSchema([
      violation(profile.loop, '$ref', message, 'references that go through members or items'),
    ]);
  }
  if ('copies' in profile) {
    const detail = 'The dynamic references of the schema mean too many different schemas';
    return fail('schema_too_complex', detail, { reason: 'references' });
  }
  if (profile.fanOut > limits.schemaFanOutMax) {
    return fail(
      'schema_too_complex',
      `One place of a document would be validated against more than ${limits.schemaFanOutMax} subschemas`,
      { limit: 'schemaFanOutMax', maximum: limits.schemaFanOutMax, actual: profile.fanOut },
    );
  }
  return ok({ schema, profile });
}
