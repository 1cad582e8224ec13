// The schema engine: admits schemas and validates documents. Small work runs on the calling thread, the rest
// in threads.
import { ok, fail, type Result, type Violation } from '../domain/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../domain/json/json.js';
import type { Limits } from '../domain/limits.js';
import type { ExampleOf, RuledOut } from '../domain/transactions/schema-answers.js';
import { after, type MaybePromise } from '../lib/maybe-promise.js';
import type {
  AdmittedSchema,
  Containment,
  DocumentChange,
  DocumentWork,
  DocumentWorked,
  SchemaEngine,
} from '../ports/schema-engine.js';
import { canonicalJson, contentHash } from '../document/canonical.js';
import { tooMuchToCompare } from './compatibility/index.js';
import { AdmissionCache } from './admission/admission-cache.js';
import { findExample } from './possible/find-example.js';
import { ruledOut } from './possible/index.js';
import { stepsFor, VALUE_BYTES_MIN, type Profile } from './admission/profile.js';
import { ValidDocuments } from './incremental/valid-documents.js';
import { SchemaEntries, type SchemaEntry } from './schema-entries.js';
import { checkTransitions, itemKeyAt, SchemaGraph, unfitRules } from './rules/index.js';
import { runValidator, VALID } from './ajv/run-validator.js';
import { admitStatically, invalidSchema } from './admission/static-admission.js';
import { ValueCounter } from '../document/value-count.js';
import { WorkerQueue, type WorkerAnswer } from './worker/worker-queue.js';
import type { WorkerRequest } from './worker/worker-protocol.js';

/** Number of validation threads: if one is blocked, the other is free. Admissions have their own thread. */
const VALIDATION_QUEUES = 2;

/** Creates the engine. Threads start on first use. */
export function createSchemaEngine(limits: Limits): SchemaEngine {
  return new Engine(limits);
}

class Engine implements SchemaEngine {
  readonly #limits: Limits;
  readonly #values = new ValueCounter();
  readonly #known: SchemaEntries;
  readonly #valid: ValidDocuments;
  readonly #admitted = new AdmissionCache();
  readonly #admissions: WorkerQueue;
  readonly #documents: WorkerQueue;
  readonly #validations: readonly WorkerQueue[];
  /** Hashes of the schemas that each thread has received. */
  readonly #sent = new WeakMap<object, Set<string>>();
  /** The document that each thread received last: often, many conditions are checked against one document. */
  readonly #last = new WeakMap<object, JsonValue>();

  constructor(limits: Limits) {
    this.#limits = limits;
    this.#known = new SchemaEntries(limits);
    this.#valid = new ValidDocuments(limits);
    this.#admissions = new WorkerQueue({ limits });
    this.#documents = new WorkerQueue({ limits });
    this.#validations = Array.from({ length: VALIDATION_QUEUES }, () => new WorkerQueue({ limits }));
  }

  get cacheBytes(): number {
    return this.#known.bytes;
  }

  admit(schema: JsonValue, use: 'document' | 'value'): Promise<Result<AdmittedSchema>> {
    return this.#admitted.admit(schema, use, () => this.#admit(schema, use));
  }

  async #admit(schema: JsonValue, use: 'document' | 'value'): Promise<Result<AdmittedSchema>> {
    const limits = this.#limits;
    const looked = admitStatically(schema, use, limits);
    if (!looked.ok) return looked;
    const { schema: object, profile } = looked.value;
    const answer = await this.#admissions.run(
      () => ({ kind: 'admit', schema: object }),
      [limits.schemaCompileMs, limits.schemaTrialMs],
    );
    const result = resultOfAnswer(answer, 'Compiling or trying the schema');
    if (!result.ok) return result;
    const unfit =
      use === 'document' ? unfitRules(new SchemaGraph(object)).slice(0, limits.violationsMax) : [];
    if (unfit.length > 0) return invalidSchema(unfit);
    const hash = contentHash(canonicalJson(object));
    this.#known.note(hash, object, profile);
    return ok({ hash, schema: object });
  }

  validate(
    schema: AdmittedSchema,
    document: JsonValue,
    bytes: number,
    change?: DocumentChange,
  ): MaybePromise<Result<readonly Violation[]>> {
    const known = this.#known.of(schema);
    if (change === undefined || !isJsonObject(document) || !this.#valid.isKept(bytes)) {
      return this.#validateWhole(known, schema, document, bytes);
    }
    if (this.#valid.stays(schema, known, document, change)) {
      this.#valid.note(schema, document);
      return VALID;
    }
    return after(this.#validateWhole(known, schema, document, bytes), (found) => {
      if (found.ok && found.value.length === 0) this.#valid.note(schema, document);
      return found;
    });
  }

  #validateWhole(
    known: SchemaEntry,
    schema: AdmittedSchema,
    document: JsonValue,
    bytes: number,
  ): MaybePromise<Result<readonly Violation[]>> {
    if (!this.#isSmall(known.profile, document, bytes)) return this.#validateInWorker(schema, document);
    return this.#validateInline(known, document) ?? this.#validateInWorker(schema, document);
  }

  checkChange(
    schema: AdmittedSchema,
    before: JsonObject | undefined,
    after: JsonObject,
  ): readonly Violation[] {
    return checkTransitions(this.#known.of(schema).rules(), before, after, this.#limits.violationsMax);
  }

  itemKeyAt(schema: AdmittedSchema, pointer: string): string | null {
    return itemKeyAt(this.#known.of(schema).rules(), pointer);
  }

  readonly ruledOut: RuledOut = (schema, { pointer, schema: wanted }) => {
    const entry = this.#known.of(schema);
    return entry.possibilities().ruledOut(pointer, wanted?.hash, () => {
      const ofValue = wanted === undefined ? null : this.#known.of(wanted).graph();
      return ruledOut(entry.graph(), { pointer, schema: ofValue }, this.#limits.possibilityStepsMax);
    });
  };

  readonly exampleOf: ExampleOf = (schema, terms) => {
    const { contract } = terms;
    const entry = this.#known.of(schema);
    const ofContract =
      contract === null ? null : this.#known.of({ hash: contract.schemaHash, schema: contract.schema });
    const staysValid = (sparse: JsonObject, change: DocumentChange) =>
      this.#valid.stays(schema, entry, sparse, change, true);
    const schemas = { schema, entry, contract: ofContract, isValid: this.#isValid, staysValid };
    return findExample(schemas, terms, this.#limits);
  };

  readonly #isValid = (schema: AdmittedSchema, value: JsonValue, bytes: number, change?: DocumentChange) => {
    const known = this.#known.of(schema);
    if (change !== undefined && isJsonObject(value) && this.#valid.stays(schema, known, value, change)) {
      return true;
    }
    if (!this.#isSmall(known.profile, value, bytes)) return null;
    const found = this.#validateInline(known, value);
    return found?.ok === true && found.value.length === 0;
  };

  async contains(wider: AdmittedSchema, narrower: AdmittedSchema): Promise<Containment> {
    const answer = await this.#admissions.run(
      () => ({ kind: 'contains', wider: wider.schema, narrower: narrower.schema }),
      [this.#limits.compatibilityMs],
    );
    if (answer.kind === 'compared') return answer.containment;
    if (answer.kind === 'failed' || answer.kind === 'unknown_schema') throw workerError('schema', answer);
    return tooMuchToCompare();
  }

  async work(work: DocumentWork): Promise<Result<DocumentWorked>> {
    const { documentWorkMs } = this.#limits;
    const answer = await this.#documents.run(() => ({ kind: 'work', work }), [documentWorkMs]);
    switch (answer.kind) {
      case 'worked':
        return answer.result;
      case 'done':
        return answer.result.ok ? tooMuchWork('stack', documentWorkMs) : answer.result;
      case 'deadline':
        return tooMuchWork('time', documentWorkMs);
      case 'out_of_memory':
        return tooMuchWork('memory', documentWorkMs);
      default:
        throw workerError('document', answer);
    }
  }

  async close(): Promise<void> {
    await Promise.all(
      [this.#admissions, this.#documents, ...this.#validations].map((queue) => queue.close()),
    );
  }

  /** Validates on this thread. `null` if the stack overflows: a worker then reports this as a failure. */
  #validateInline(known: SchemaEntry, document: JsonValue): Result<readonly Violation[]> | null {
    try {
      return runValidator(known.validator(), document, this.#limits.violationsMax);
    } catch (error) {
      if (error instanceof RangeError) return null;
      throw error;
    }
  }

  /** True if validation certainly blocks the event loop for a few milliseconds at most. */
  #isSmall(profile: Profile | null, document: JsonValue, bytes: number): boolean {
    const { inlineValidationBytesMax, inlineValidationStepsMax, documentDepthMax } = this.#limits;
    if (profile === null || profile.quadratic || profile.costlyToCompile) return false;
    if (bytes > inlineValidationBytesMax) return false;
    if (stepsFor(profile, bytes / VALUE_BYTES_MIN + 1, bytes) <= inlineValidationStepsMax) return true;
    if (stepsFor(profile, 1, bytes) > inlineValidationStepsMax) return false;
    const values = this.#values.count(document, documentDepthMax);
    return stepsFor(profile, values, bytes) <= inlineValidationStepsMax;
  }

  async #validateInWorker(
    schema: AdmittedSchema,
    document: JsonValue,
  ): Promise<Result<readonly Violation[]>> {
    const queue = this.#validations.reduce((best, each) => (each.load < best.load ? each : best));
    const deadlines = [this.#limits.validationMs];
    const first = await queue.run((thread) => this.#request(thread, schema, document), deadlines);
    const isUnknown = first.kind === 'unknown_schema';
    const answer = isUnknown
      ? await queue.run((thread) => this.#request(thread, schema, document, true), deadlines)
      : first;
    return resultOfAnswer(answer, 'Checking the document');
  }

  #request(thread: object, schema: AdmittedSchema, document: JsonValue, anew = false): WorkerRequest {
    const sent = this.#sent.get(thread) ?? new Set();
    this.#sent.set(thread, sent);
    const isKnown = !anew && sent.has(schema.hash);
    sent.add(schema.hash);
    const isLast = typeof document === 'object' && this.#last.get(thread) === document;
    this.#last.set(thread, document);
    return {
      kind: 'validate',
      hash: schema.hash,
      schema: isKnown ? null : schema.schema,
      ...(isLast ? { sameDocument: true } : { sameDocument: false, document }),
    };
  }
}

/** Converts a worker's answer into a result. An unexpected answer is a bug. */
function resultOfAnswer(answer: WorkerAnswer, what: string): Result<readonly Violation[]> {
  switch (answer.kind) {
    case 'done':
      return answer.result;
    case 'deadline':
      return fail('schema_too_complex', `${what} takes too long with this schema`, { reason: 'time' });
    case 'out_of_memory':
      return fail('schema_too_complex', `${what} takes too much memory with this schema`, {
        reason: 'memory',
      });
    case 'unknown_schema':
    case 'compared':
    case 'worked':
    case 'failed':
      throw workerError('schema', answer);
  }
}

/** The error for an answer that no working worker gives. */
function workerError(worker: 'schema' | 'document', answer: WorkerAnswer): Error {
  return new Error(`the ${worker} worker failed: ${answer.kind === 'failed' ? answer.message : answer.kind}`);
}

function tooMuchWork(reason: 'time' | 'memory' | 'stack', maximum: number) {
  return fail(
    'limit_exceeded',
    `The documents take more ${reason} than a request may cost (${String(maximum)} ms in a thread of its own). Change less at once.`,
    { limit: 'documentWorkMs', maximum, reason },
  );
}
