// The configuration of Ajv for the main thread and the worker. Only this file creates Ajv instances.
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import type AjvCore from 'ajv/dist/core.js';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { isJsonObject, type JsonObject } from '../../domain/json/json.js';
import { ItemComparer } from '../../document/item-comparer.js';
import { draftOf, type Draft } from '../lowering/draft.js';
import { addComparisons, addRequired, addUnevaluated } from './ajv-keywords.js';
import { Evaluated, type Definitions } from '../lowering/evaluated.js';
import { addFormats } from './formats.js';
import { lower } from '../lowering/lower.js';
import { OWN_KEYWORDS } from '../lowering/own-keywords.js';
import { compilePattern, patternProblem } from '../patterns/pattern.js';
import { Parts } from './parts.js';

const OPTIONS: Options = {
  // Strict mode rejects legal schemas: `if` without `then`, `minContains` without `contains`. Admission
  // rejects unknown keywords and formats.
  strictSchema: false,
  strictNumbers: true,
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  // Ajv's check would run user patterns on JavaScript's backtracking engine.
  allowMatchingProperties: true,
  allowUnionTypes: true,
  allErrors: true,
  verbose: true,
  messages: false,
  ownProperties: true,
  $data: false,
  // Inlining repeats the code of a referenced schema at each reference.
  inlineRefs: false,
  logger: false,
  code: {
    regExp: Object.assign((pattern: string) => compilePattern(pattern), { code: 're2' }),
    // One statement on each line: a text of the schema cannot look like one, because its newlines are escaped.
    lines: true,
    process: collectInPlace,
  },
};

/**
 * Adds the errors of a subschema to those found before, in generated code, instead of copying all of them. With
 * copies, 60,000 invalid items behind a `$ref` take 2.3 s instead of 0.1 s. To remove it, drop `lines` and `process`.
 */
function collectInPlace(code: string): string {
  return code.replace(
    /^vErrors = vErrors === null \? ([\w.]+) : vErrors\.concat\(\1\);$/gm,
    'if (vErrors === null) vErrors = $1; else for (const each of $1) vErrors.push(each);',
  );
}

function construct(draft: Draft, options: Options, comparer: ItemComparer): AjvCore.default {
  const ajv: AjvCore.default =
    draft === '2020-12'
      ? new Ajv2020(options)
      : draft === '2019-09'
        ? new Ajv2019(options)
        : new Ajv(options);
  addFormats(ajv);
  addComparisons(ajv, comparer);
  addRequired(ajv);
  // Ajv supports `$anchor`, but does not list it among the keywords of its drafts.
  if (draft !== 'draft-07') ajv.addKeyword('$anchor');
  for (const keyword of Object.keys(OWN_KEYWORDS)) ajv.addKeyword(keyword);
  return ajv;
}

/** An instance with the meta-schema of a draft, to validate schemas. Never compiles a user's schema. */
export function createMetaValidator(draft: Draft): AjvCore.default {
  const ajv = construct(draft, OPTIONS, new ItemComparer());
  ajv.addFormat('regex', { type: 'string', validate: (text) => patternProblem(text) === null });
  return ajv;
}

/** An instance without meta-schemas to compile admitted schemas, because they are already checked. */
function createCompiler(draft: Draft): Compiler {
  const comparer = new ItemComparer();
  const ajv = construct(draft, { ...OPTIONS, meta: false, validateSchema: false }, comparer);
  // Ajv's own tracking of evaluated members and items is replaced. It costs time, and throws with
  // `patternProperties`.
  ajv.opts.unevaluated = false;
  return { ajv, comparer };
}

interface Compiler {
  readonly ajv: AjvCore.default;
  /** Compares items for the validators of this instance. */
  readonly comparer: ItemComparer;
}

/** A compiled schema, ready to validate documents. */
export interface CompiledSchema {
  readonly validate: (document: unknown) => unknown;
  readonly errors: () => readonly ErrorObject[];
  /** Releases the errors, which reference the document. */
  readonly forget: () => void;
  /** The registered subschema that a subschema given to Ajv was made from. */
  readonly original: (schema: unknown) => JsonObject | boolean | undefined;
  /** What Ajv compiled; `parts` validates its subschemas. */
  readonly lowered: JsonObject;
  /** `null` if what a subschema accepts depends on what others have evaluated. */
  readonly parts: Parts | null;
}

/** The name of the schema in its compiler. */
const ROOT = 'schema';

/** Number of schemas that one shared instance compiles. After that it is replaced, which frees what it keeps. */
const SHARED_MAX = 50;

/** An instance for small schemas: creating one costs more than compiling a condition. */
interface Shared extends Compiler {
  uses: number;
}

/** Compiles schemas. Those without references use shared instances. */
export class Compilers {
  readonly #shared = new Map<Draft, Shared>();

  compile(schema: JsonObject): CompiledSchema {
    return compileSchema(schema, (draft) => this.#of(draft));
  }

  #of(draft: Draft): Shared {
    let shared = this.#shared.get(draft);
    if (shared === undefined || shared.uses >= SHARED_MAX) {
      shared = { ...createCompiler(draft), uses: 0 };
      this.#shared.set(draft, shared);
    }
    shared.uses += 1;
    return shared;
  }
}

/**
 * Compiles a schema that this or an earlier version of the program admitted.
 *
 * @param sharedOf - Returns a shared instance. Without it, the schema gets its own.
 * @throws RangeError The schema is too deep, or its dynamic references make too many copies.
 */
export function compileSchema(schema: JsonObject, sharedOf?: (draft: Draft) => Shared): CompiledSchema {
  const draft = draftOf(schema);
  if (draft === null) throw new Error('an admitted schema names no known draft');
  const made = lower(schema);
  if (made === null) throw new RangeError('dynamic references mean too many different schemas');
  const { schema: lowered, origins, usesUnevaluated, refers } = made;
  const shared = usesUnevaluated || refers ? undefined : sharedOf?.(draft);
  const { ajv, comparer } = shared ?? createCompiler(draft);
  const name = shared === undefined ? ROOT : `${ROOT}${String(shared.uses)}`;
  const definitions: Definitions = {
    schemaAt: (ref) => definitionOf(lowered, ref),
    validatorAt: (ref) => found(ajv.getSchema(ref === '#' ? name : name + ref)),
  };
  const evaluated = new Evaluated(draft, definitions);
  if (usesUnevaluated) addUnevaluated(ajv, evaluated, definitions);
  ajv.addSchema(lowered, name);
  const validate = definitions.validatorAt('#');
  // `CompiledSchema` keeps the compiled function; no other schema may find it by name.
  if (shared !== undefined) ajv.removeSchema(name).removeSchema(lowered);
  return {
    validate: (document) => {
      if (usesUnevaluated) evaluated.begin();
      comparer.begin();
      try {
        return validate(document);
      } finally {
        comparer.end();
      }
    },
    errors: () => validate.errors ?? [],
    forget: () => {
      validate.errors = null;
    },
    original: (part) => origins.get(part)?.schema,
    lowered,
    parts: usesUnevaluated ? null : new Parts({ ajv, comparer, name: shared === undefined ? name : null }),
  };
}

function found(validate: ReturnType<AjvCore.default['getSchema']>): ValidateFunction {
  if (validate === undefined) throw new Error('a lowered schema lacks a definition');
  // No lowered schema is asynchronous.
  return validate as ValidateFunction;
}

function definitionOf(lowered: JsonObject, ref: string): JsonObject | boolean {
  if (ref === '#') return lowered;
  const defs = lowered['$defs'];
  const definition = isJsonObject(defs) ? defs[ref.slice('#/$defs/'.length)] : undefined;
  if (typeof definition === 'boolean' || isJsonObject(definition)) return definition;
  throw new Error(`a lowered schema lacks ${ref}`);
}
