// Validators for the subschemas of one compiled schema, compiled when they are first needed.
import type { ValidateFunction } from 'ajv';
import type AjvCore from 'ajv/dist/core.js';
import type { JsonObject, JsonValue } from '../../domain/json/json.js';
import { parsePointer } from '../../domain/json/pointer.js';
import { hasLoneSurrogate } from '../../domain/text.js';
import type { ItemComparer } from '../../document/item-comparer.js';
import { compilePattern } from '../patterns/pattern.js';

/** Most subschemas to compile for one schema. */
const PARTS_MAX = 64;

interface Compiled {
  readonly ajv: AjvCore.default;
  readonly comparer: ItemComparer;
  /** The name of the schema in `ajv`; `null` if it has no references, so that its subschemas stand for themselves. */
  readonly name: string | null;
}

export class Parts {
  readonly #validators = new Map<string, ValidateFunction | null>();
  readonly #patterns = new Map<string, ReturnType<typeof compilePattern>>();

  constructor(private readonly compiled: Compiled) {}

  /**
   * @param pointer - The subschema's pointer in the lowered schema.
   * @returns True if the value satisfies the subschema. False says nothing.
   */
  isValid(pointer: string, schema: JsonObject, value: JsonValue): boolean {
    const validate = this.#validatorOf(pointer, schema);
    if (validate === null) return false;
    const { comparer } = this.compiled;
    comparer.begin();
    try {
      return validate(value);
    } catch (error) {
      // Too deep, or a fault in the generated code: the whole schema reports it.
      if (error instanceof RangeError || error instanceof TypeError) return false;
      throw error;
    } finally {
      // The errors reference the value.
      validate.errors = null;
      comparer.end();
    }
  }

  /** True if a name matches a pattern of the schema. */
  matches(pattern: string, name: string): boolean {
    const compiled = this.#patterns.get(pattern) ?? compilePattern(pattern);
    this.#patterns.set(pattern, compiled);
    return compiled.test(name);
  }

  #validatorOf(pointer: string, schema: JsonObject): ValidateFunction | null {
    const known = this.#validators.get(pointer);
    if (known !== undefined) return known;
    if (this.#validators.size >= PARTS_MAX) return null;
    const made = this.#compile(pointer, schema);
    this.#validators.set(pointer, made);
    return made;
  }

  #compile(pointer: string, schema: JsonObject): ValidateFunction | null {
    const { ajv, name } = this.compiled;
    if (name === null) {
      const validate = ajv.compile(schema);
      ajv.removeSchema(schema);
      return validate;
    }
    // No URI leads there. Admission refuses such names, but earlier versions took them.
    if (hasLoneSurrogate(pointer)) return null;
    const segments = parsePointer(pointer) ?? [];
    const escaped = segments.map((each) =>
      encodeURIComponent(each.replaceAll('~', '~0').replaceAll('/', '~1')),
    );
    const found = ajv.getSchema(`${name}#/${escaped.join('/')}`);
    // No lowered schema is asynchronous.
    return found?.schema === schema ? (found as ValidateFunction) : null;
  }
}
