// Proves that a changed document is still valid by validating only the parts that the change affects. A part is left
// out only if its result is certainly the same as before. Whatever is not proven is left to the validator.
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../domain/json/json.js';
import { textSize } from '../../domain/json/text-size.js';
import type { Parts } from '../ajv/parts.js';
import { textsOf } from '../compatibility/side.js';
import type { ChangedLocations } from '../../domain/json/changed-locations.js';
import { childOf, NOT_OF_ARRAYS, NOT_OF_OBJECTS, OF_MEMBERS, type Part } from './subschema.js';
import { changedItems, changedMembers, hasMoved, staysUnique, type ChangedMember } from './differences.js';

/** A compiled schema without `unevaluatedProperties` and `unevaluatedItems`. */
interface Compiled {
  readonly lowered: JsonObject;
  readonly parts: Parts;
}

export class StaysValid {
  /**
   * @param bytesLeft - Most bytes of all the values that may be validated.
   * @param stepsLeft - Most subschemas that may be looked at, once for each changed value. With that, the time is bounded
   * for any schema and any change.
   * @param isSparse - True if the objects around the changed locations hold nothing but these locations.
   */
  constructor(
    private readonly compiled: Compiled,
    private bytesLeft: number,
    private stepsLeft: number,
    private readonly isSparse: boolean,
  ) {}

  /** @returns True if `after` is certainly valid, provided that `before` is. */
  check(before: JsonObject, after: JsonObject, locations: ChangedLocations): boolean {
    if (locations.isWhole || this.bytesLeft <= 0) return false;
    return this.#stays({ schema: this.compiled.lowered, pointer: '' }, before, after, locations);
  }

  #stays(part: Part, before: JsonValue, after: JsonValue, locations: ChangedLocations | null): boolean {
    const { schema } = part;
    if (!isJsonObject(schema)) return schema === true;
    if (before === after) return true;
    if (this.#isUsedUp(1)) return false;
    if (isJsonObject(before) && isJsonObject(after)) {
      const changed = changedMembers(before, after, locations);
      if (this.#isUsedUp(changed.length)) return false;
      return (
        this.#ofObject(part, schema, before, after, changed, locations) ??
        this.#isWholeValid(part, after, locations)
      );
    }
    if (isJsonArray(before) && isJsonArray(after)) {
      return this.#ofArray(part, schema, before, after) ?? this.#isValid(part, after);
    }
    return this.#isWholeValid(part, after, locations);
  }

  /** A sparse object cannot be validated as a whole. */
  #isWholeValid(part: Part, after: JsonValue, locations: ChangedLocations | null): boolean {
    if (this.isSparse && locations?.isWhole === false) return false;
    return this.#isValid(part, after);
  }

  /** @returns `null` if the part has to be validated as a whole. */
  #ofObject(
    part: Part,
    schema: JsonObject,
    before: JsonObject,
    after: JsonObject,
    changed: readonly ChangedMember[],
    locations: ChangedLocations | null,
  ): boolean | null {
    const isCounted = changed.some(hasMoved);
    for (const [keyword, value] of Object.entries(schema)) {
      if (NOT_OF_OBJECTS.has(keyword) || keyword.startsWith('x-')) continue;
      switch (keyword) {
        case 'type':
        // Together with the others that apply to members, below.
        case 'properties':
        case 'patternProperties':
        case 'additionalProperties':
          continue;
        case 'required':
          if (
            this.#lists(
              value,
              changed.filter((one) => one.after === undefined),
            )
          )
            return false;
          continue;
        case 'minProperties':
        case 'maxProperties':
          if (isCounted && !isWithin(keyword, value, countAfter(before, changed))) return false;
          continue;
        case 'propertyNames': {
          const names = childOf(part, keyword);
          const added = changed.filter((one) => one.before === undefined);
          if (!added.every((one) => this.#isValid(names, one.name))) return false;
          continue;
        }
        case '$ref':
        case 'allOf':
          for (const each of this.#inPlace(part, keyword, value)) {
            if (!this.#stays(each, before, after, locations)) return false;
          }
          continue;
        default:
          if (!this.#isUnaffected(part, keyword, value, before, after, changed, locations)) return null;
      }
    }
    return changed.every((one) => {
      const { after: value } = one;
      if (value === undefined) return true;
      const members = this.#membersOf(part, schema, one.name);
      if (this.stepsLeft < 0) return false;
      return members.every((member) =>
        one.before === undefined || one.locations?.isWhole === true
          ? this.#isValid(member, value)
          : this.#stays(member, one.before, value, one.locations),
      );
    });
  }

  /** @returns `null` if the part has to be validated as a whole. */
  #ofArray(
    part: Part,
    schema: JsonObject,
    before: readonly JsonValue[],
    after: readonly JsonValue[],
  ): boolean | null {
    const { from, to } = changedItems(before, after);
    for (const [keyword, value] of Object.entries(schema)) {
      if (NOT_OF_ARRAYS.has(keyword) || keyword.startsWith('x-')) continue;
      switch (keyword) {
        case 'type':
          continue;
        case 'minItems':
        case 'maxItems':
          if (!isWithin(keyword, value, after.length)) return false;
          continue;
        case 'uniqueItems':
          if (value === true && !staysUnique(after, from, to)) return null;
          continue;
        case 'items': {
          // A list of schemas, by position.
          if (isJsonArray(value)) return null;
          const items = childOf(part, keyword);
          const isAligned = before.length === after.length;
          for (let at = from; at < to; at += 1) {
            const [was, is] = [isAligned ? before[at] : undefined, after[at] ?? null];
            const stays = was === undefined ? this.#isValid(items, is) : this.#stays(items, was, is, null);
            if (!stays) return false;
          }
          continue;
        }
        case '$ref':
        case 'allOf':
          for (const each of this.#inPlace(part, keyword, value)) {
            if (!this.#stays(each, before, after, null)) return false;
          }
          continue;
        default:
          return null;
      }
    }
    return true;
  }

  /** True if the keyword certainly has the same result for both objects. */
  #isUnaffected(
    part: Part,
    keyword: string,
    value: JsonValue,
    before: JsonObject,
    after: JsonObject,
    changed: readonly ChangedMember[],
    locations: ChangedLocations | null,
  ): boolean {
    const isSame = (one: Part) => this.#isSame(one, before, after, locations);
    switch (keyword) {
      case 'type':
        return true;
      case 'required':
        return !this.#lists(value, changed.filter(hasMoved));
      case 'minProperties':
      case 'maxProperties':
      case 'propertyNames':
      case 'dependentRequired':
        return !changed.some(hasMoved);
      case '$ref':
      case 'allOf':
      case 'anyOf':
      case 'oneOf':
        return this.#inPlace(part, keyword, value).every(isSame);
      case 'not':
      case 'if':
      case 'then':
      case 'else':
        return isSame(childOf(part, keyword));
      case 'dependentSchemas':
        if (changed.some(hasMoved) || !isJsonObject(value)) return false;
        return Object.keys(value).every((name) => isSame(childOf(childOf(part, keyword), name)));
      default:
        return false;
    }
  }

  /** True if both values certainly have the same result. */
  #isSame(part: Part, before: JsonValue, after: JsonValue, locations: ChangedLocations | null): boolean {
    const { schema } = part;
    if (before === after || !isJsonObject(schema)) return true;
    if (!isJsonObject(before) || !isJsonObject(after)) return false;
    const changed = changedMembers(before, after, locations);
    if (this.#isUsedUp(1 + changed.length)) return false;
    for (const [keyword, value] of Object.entries(schema)) {
      if (NOT_OF_OBJECTS.has(keyword) || keyword.startsWith('x-') || OF_MEMBERS.has(keyword)) continue;
      if (!this.#isUnaffected(part, keyword, value, before, after, changed, locations)) return false;
    }
    return changed.every((one) => {
      const members = this.#membersOf(part, schema, one.name);
      if (this.stepsLeft < 0) return false;
      if (members.length === 0) return true;
      const [was, is] = [one.before, one.after];
      if (was === undefined || is === undefined) return false;
      const known = one.locations?.isWhole === true ? null : one.locations;
      return members.every((member) => this.#isSame(member, was, is, known));
    });
  }

  /** The subschemas under a keyword that apply to the same location. */
  #inPlace(part: Part, keyword: string, value: JsonValue): readonly Part[] {
    if (keyword !== '$ref') {
      const list = childOf(part, keyword);
      return isJsonArray(value) ? value.map((_, at) => childOf(list, String(at))) : [];
    }
    const pointer = typeof value === 'string' ? value.slice(1) : '';
    const { lowered } = this.compiled;
    if (pointer === '') return [{ schema: lowered, pointer }];
    const definitions = childOf({ schema: lowered, pointer: '' }, '$defs');
    return [childOf(definitions, pointer.slice('/$defs/'.length))];
  }

  /** The subschemas that apply to a member. */
  #membersOf(part: Part, schema: JsonObject, name: string): readonly Part[] {
    const { properties, patternProperties, additionalProperties } = schema;
    const found: Part[] = [];
    if (isJsonObject(properties) && Object.hasOwn(properties, name)) {
      found.push(childOf(childOf(part, 'properties'), name));
    }
    if (isJsonObject(patternProperties)) {
      const patterns = childOf(part, 'patternProperties');
      for (const pattern of Object.keys(patternProperties)) {
        if (this.#isUsedUp(1)) break;
        if (this.compiled.parts.matches(pattern, name)) found.push(childOf(patterns, pattern));
      }
    }
    if (found.length > 0 || additionalProperties === undefined) return found;
    return [childOf(part, 'additionalProperties')];
  }

  /** True if the list has the name of one of the members, or may have. */
  #lists(value: JsonValue, members: readonly ChangedMember[]): boolean {
    if (members.length === 0) return false;
    const names = new Set(textsOf(value));
    return this.#isUsedUp(names.size) || members.some(({ name }) => names.has(name));
  }

  #isUsedUp(steps: number): boolean {
    this.stepsLeft -= steps;
    return this.stepsLeft < 0;
  }

  #isValid(part: Part, value: JsonValue): boolean {
    const { schema, pointer } = part;
    if (!isJsonObject(schema)) return schema === true;
    const { $ref, ...beside } = schema;
    if ($ref !== undefined && Object.keys(beside).length === 0) {
      return this.#inPlace(part, '$ref', $ref).every((target) => this.#isValid(target, value));
    }
    // The whole schema, on the whole document or within a recursion.
    if (pointer === '') return false;
    this.bytesLeft -= textSize(value, this.bytesLeft);
    if (this.bytesLeft < 0) return false;
    return this.compiled.parts.isValid(pointer, schema, value);
  }
}

function countAfter(before: JsonObject, changed: readonly ChangedMember[]): number {
  const added = changed.filter((one) => one.before === undefined).length;
  const removed = changed.filter((one) => one.after === undefined).length;
  return Object.keys(before).length + added - removed;
}

function isWithin(keyword: string, bound: JsonValue, count: number): boolean {
  if (typeof bound !== 'number') return false;
  return keyword.startsWith('min') ? count >= bound : count <= bound;
}
