// How Ajv is set up, for the main thread and the worker alike. The only file that constructs it.
import { Ajv, type Options, type ValidateFunction } from 'ajv';
import type AjvCore from 'ajv/dist/core.js';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { JsonObject } from '../domain/json.js';
import { draftOf, type Draft } from './draft.js';
import { effectiveSchema } from './effective.js';
import { outlineOf, type Subschema } from './outline.js';
import { OWN_KEYWORDS } from './own-keywords.js';
import { compilePattern, patternProblem } from './pattern.js';

const OPTIONS: Options = {
  // Strict in what Ajv's default refuses. What it only logs (types that a keyword implies, tuples, `required` without
  // `properties`) is common in honest schemas and stays allowed.
  strictSchema: true,
  strictNumbers: true,
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  // Its check would run the user's patterns on the backtracking engine of JavaScript.
  allowMatchingProperties: true,
  allowUnionTypes: true,
  allErrors: true,
  verbose: true,
  messages: false,
  ownProperties: true,
  $data: false,
  // Inlining repeats the code of a referred schema at each reference.
  inlineRefs: false,
  logger: false,
  code: { regExp: Object.assign((pattern: string) => compilePattern(pattern), { code: 're2' }) },
};

function construct(draft: Draft, options: Options): AjvCore.default {
  const ajv: AjvCore.default =
    draft === '2020-12'
      ? new Ajv2020(options)
      : draft === '2019-09'
        ? new Ajv2019(options)
        : new Ajv(options);
  formats.default(ajv);
  ajv.addFormat('regex', { type: 'string', validate: (text) => patternProblem(text) === null });
  // Ajv follows `$anchor` but forgets to list it among the keywords of its drafts.
  if (draft !== 'draft-07') ajv.addKeyword('$anchor');
  for (const keyword of Object.keys(OWN_KEYWORDS)) ajv.addKeyword(keyword);
  return ajv;
}

/** An instance that knows the meta-schema of a draft, to hold schemas against. Never compiles a user's schema. */
export function createMetaValidator(draft: Draft): AjvCore.default {
  return construct(draft, OPTIONS);
}

/** An instance for one schema: without meta-schemas (the schema is checked already) and never shared with another. */
export function createCompiler(draft: Draft): AjvCore.default {
  return construct(draft, { ...OPTIONS, meta: false, validateSchema: false });
}

/**
 * True where a schema asks for what its other keywords left unevaluated. Only then Ajv is let keep account of that: the
 * account costs time, and `patternProperties` beside `anyOf`, `oneOf`, `else` or `dependencies` makes it throw.
 */
export function keepsAccount(outline: readonly Subschema[]): boolean {
  return outline.some(
    ({ schema }) =>
      typeof schema !== 'boolean' && ('unevaluatedProperties' in schema || 'unevaluatedItems' in schema),
  );
}

/** Compiles a schema that was admitted, by this version of the program or by an earlier one. */
export function compileSchema(stored: JsonObject): ValidateFunction {
  const schema = effectiveSchema(stored);
  const draft = draftOf(schema);
  if (draft === null) throw new Error('an admitted schema names no known draft');
  const compiler = createCompiler(draft);
  if (!keepsAccount(outlineOf(schema))) compiler.opts.unevaluated = false;
  return compiler.compile(schema);
}
