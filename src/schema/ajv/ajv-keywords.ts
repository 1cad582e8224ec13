// Replacements for keywords that Ajv implements incorrectly: equality of JSON values, decimal multiples, required
// members, and unevaluated members and items.
import {
  _,
  Name,
  str,
  type CodeKeywordDefinition,
  type ErrorObject,
  type KeywordCxt,
  type ValidateFunction,
} from 'ajv';
import type AjvCore from 'ajv/dist/core.js';
import {
  isJsonArray,
  isJsonObject,
  jsonEqual,
  type JsonObject,
  type JsonValue,
} from '../../domain/json/json.js';
import { formatPointer } from '../../domain/json/pointer.js';
import type { ItemComparer } from '../../document/item-comparer.js';
import type { Definitions, Evaluated } from '../lowering/evaluated.js';
import { isMultipleOf } from '../../document/numbers.js';

/** Variables in the code that Ajv generates. */
const INSTANCE_PATH = new Name('instancePath');
const V_ERRORS = new Name('vErrors');
const ERRORS = new Name('errors');

/** Replaces Ajv's implementation of a keyword. */
function replace(ajv: AjvCore.default, definition: CodeKeywordDefinition): void {
  if (typeof definition.keyword === 'string') ajv.removeKeyword(definition.keyword);
  ajv.addKeyword(definition);
}

/**
 * Corrects the keywords that require members; for every Ajv instance. Within `not` and `if`, Ajv asks for the name of the
 * missing member, and takes the empty name for none. There, the member with this name is checked first.
 */
export function addRequired(ajv: AjvCore.default): void {
  for (const keyword of ['required', 'dependentRequired', 'dependencies']) {
    const known = ajv.getKeyword(keyword);
    // Not all drafts have all of them.
    if (typeof known === 'boolean' || !('code' in known)) continue;
    const code = known.code.bind(known);
    // In place: a keyword that is added anew is checked after all others, which changes the order of the errors.
    known.code = (cxt, type) => {
      if (!cxt.it.allErrors) requireEmptyName(cxt);
      code(cxt, type);
    };
  }
}

function requireEmptyName(cxt: KeywordCxt): void {
  const { gen, data } = cxt;
  const schema = cxt.schema as JsonValue;
  const owns = gen.scopeValue('func', { ref: Object.hasOwn });
  if (isJsonArray(schema) && schema.includes('')) cxt.fail(_`!${owns}(${data}, "")`);
  if (!isJsonObject(schema)) return;
  for (const [name, names] of Object.entries(schema)) {
    if (isJsonArray(names) && names.includes('')) {
      cxt.fail(_`${owns}(${data}, ${name}) && !${owns}(${data}, "")`);
    }
  }
}

/** Adds the keywords that compare values; for every Ajv instance. */
export function addComparisons(ajv: AjvCore.default, comparer: ItemComparer): void {
  replace(ajv, {
    keyword: 'const',
    error: { message: '', params: ({ schemaCode }) => _`{allowedValue: ${schemaCode}}` },
    code(cxt) {
      const { gen, data, schemaCode } = cxt;
      const equal = gen.scopeValue('func', { ref: jsonEqual });
      if (isCompound(cxt.schema)) cxt.fail(_`!${equal}(${data}, ${schemaCode})`);
      else cxt.fail(_`${data} !== ${schemaCode}`);
    },
  });
  replace(ajv, {
    keyword: 'enum',
    schemaType: 'array',
    error: { message: '', params: ({ schemaCode }) => _`{allowedValues: ${schemaCode}}` },
    code(cxt) {
      const { gen, data } = cxt;
      const isOne = gen.scopeValue('func', { ref: oneOfValues(cxt.schema as readonly JsonValue[]) });
      cxt.fail(_`!${isOne}(${data})`);
    },
  });
  replace(ajv, {
    keyword: 'multipleOf',
    type: 'number',
    schemaType: 'number',
    error: { message: '', params: ({ schemaCode }) => _`{multipleOf: ${schemaCode}}` },
    code(cxt) {
      const { gen, data, schemaCode } = cxt;
      cxt.fail(_`!${gen.scopeValue('func', { ref: isMultipleOf })}(${data}, ${schemaCode})`);
    },
  });
  replace(ajv, {
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    error: { message: '', params: ({ params: { at } }) => _`{i: ${at}[0], j: ${at}[1]}` },
    code(cxt) {
      const { gen, data } = cxt;
      if (cxt.schema !== true) return;
      const at = gen.const('equal', _`${gen.scopeValue('obj', { ref: comparer })}.equalItems(${data})`);
      cxt.setParams({ at });
      cxt.fail(_`${at} !== null`);
    },
  });
}

function isCompound(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** Scalars are looked up in a set, other values are compared one by one. */
function oneOfValues(values: readonly JsonValue[]): (value: JsonValue) => boolean {
  const scalars = new Set(values.filter((value) => !isCompound(value)));
  const others = values.filter(isCompound);
  return (value) => (isCompound(value) ? others.some((one) => jsonEqual(one, value)) : scalars.has(value));
}

/** Adds `unevaluatedProperties` and `unevaluatedItems`; for the instance of one schema that uses them. */
export function addUnevaluated(ajv: AjvCore.default, evaluated: Evaluated, definitions: Definitions): void {
  const define = (keyword: string, type: 'object' | 'array', left: Left) =>
    replace(ajv, {
      keyword,
      type,
      schemaType: ['boolean', 'object'],
      code({ gen, data, parentSchema, it }) {
        const check = checkOf(keyword, parentSchema, left, definitions);
        const at = str`${INSTANCE_PATH}${it.errorPath}`;
        const errors = gen.const('unevaluated', _`${gen.scopeValue('func', { ref: check })}(${data}, ${at})`);
        gen.if(_`${errors}.length > 0`, () => {
          // The form in which Ajv joins errors: the compiler replaces it by one that copies none.
          gen.assign(V_ERRORS, _`${V_ERRORS} === null ? ${errors} : ${V_ERRORS}.concat(${errors})`);
          gen.assign(ERRORS, _`${V_ERRORS}.length`);
        });
      },
    });
  define('unevaluatedProperties', 'object', (schema, value) => {
    if (!isJsonObject(value)) return [];
    const members = evaluated.members(schema, value);
    return Object.keys(value).filter((name) => !members.has(name));
  });
  define('unevaluatedItems', 'array', (schema, value) => {
    if (!isJsonArray(value)) return [];
    const items = evaluated.items(schema, value);
    return [...value.keys()].filter((index) => !items.has(index));
  });
}

/** The names or positions that no other keyword has evaluated. */
type Left = (schema: JsonObject, value: JsonValue) => readonly (string | number)[];

function checkOf(keyword: string, schema: JsonObject, left: Left, definitions: Definitions) {
  const rule = schema[keyword];
  const ref = isJsonObject(rule) ? rule['$ref'] : undefined;
  let validate: ValidateFunction | null = null;
  return (value: JsonValue, instancePath: string): ErrorObject[] => {
    if (rule === true) return [];
    const keys = left(schema, value);
    if (rule === false || typeof ref !== 'string') {
      const shared = {
        keyword,
        instancePath,
        schemaPath: '',
        schema: rule,
        parentSchema: schema,
        data: value,
      };
      return keys.map((key) => ({ ...shared, params: paramsOf(key) }));
    }
    validate ??= definitions.validatorAt(ref);
    const errors: ErrorObject[] = [];
    for (const key of keys) {
      const within = isJsonObject(value) ? value[key] : isJsonArray(value) ? value[Number(key)] : null;
      const result: unknown = validate(within);
      if (result === true) continue;
      const at = instancePath + formatPointer([key]);
      for (const error of validate.errors ?? []) {
        errors.push({ ...error, instancePath: at + error.instancePath });
      }
      validate.errors = null;
    }
    return errors;
  };
}

function paramsOf(key: string | number): Record<string, string | number> {
  return typeof key === 'string' ? { unevaluatedProperty: key } : { unevaluatedItem: key };
}
