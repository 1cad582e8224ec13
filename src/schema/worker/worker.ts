// The worker thread: performs work that can take long. Unlike the main thread, it can be ended.
import { parentPort, workerData } from 'node:worker_threads';
import type { LRUCache } from 'lru-cache';
import { boundedCache } from '../../lib/bounded-cache.js';
import { fail, type Result, type Violation } from '../../domain/errors.js';
import type { JsonValue } from '../../domain/json/json.js';
import type { Limits } from '../../domain/limits.js';
import { messageOf } from '../../domain/text.js';
import { Compilers, type CompiledSchema } from '../ajv/ajv.js';
import { contains } from '../compatibility/index.js';
import { doDocumentWork } from './document-work.js';
import { SchemaFault } from '../lowering/lower.js';
import { runValidator, unfit } from '../ajv/run-validator.js';
import { admitInWorker, MetaValidators } from '../admission/worker-admission.js';
import type { WorkerReply, WorkerRequest, WorkerSetup } from './worker-protocol.js';

/** Answers the requests of one worker thread. Its caches live as long as the thread. */
class SchemaWorker {
  readonly #validators: LRUCache<string, CompiledSchema>;
  readonly #compilers = new Compilers();
  readonly #metaValidators = new MetaValidators();
  /** The document received last. */
  #last: JsonValue = null;

  constructor(
    private readonly limits: Limits,
    private readonly send: (reply: WorkerReply) => void,
  ) {
    this.#validators = boundedCache(limits.compiledSchemasMax);
  }

  answer(request: WorkerRequest): WorkerReply {
    const { limits } = this;
    try {
      if (request.kind === 'validate') return this.#validate(request);
      if (request.kind === 'work') return { kind: 'worked', result: doDocumentWork(request.work, limits) };
      if (request.kind === 'contains') {
        return { kind: 'compared', containment: contains(request.wider, request.narrower, limits) };
      }
      const compiled = () => this.send({ kind: 'phase' });
      return { kind: 'done', result: admitInWorker(request.schema, limits, this.#metaValidators, compiled) };
    } catch (error) {
      // Ajv and its generated code are recursive: a stack overflow is a property of the schema, not a bug.
      if (error instanceof SchemaFault) return { kind: 'done', result: unfit(error.message) };
      if (error instanceof RangeError) return { kind: 'done', result: tooComplex() };
      return { kind: 'failed', message: messageOf(error) };
    }
  }

  #validate(request: WorkerRequest & { kind: 'validate' }): WorkerReply {
    const { hash, schema } = request;
    if (!request.sameDocument) this.#last = request.document;
    let validator = this.#validators.get(hash);
    if (validator === undefined) {
      if (schema === null) return { kind: 'unknown_schema' };
      validator = this.#compilers.compile(schema);
      this.#validators.set(hash, validator);
    }
    return { kind: 'done', result: runValidator(validator, this.#last, this.limits.violationsMax) };
  }
}

function tooComplex(): Result<readonly Violation[]> {
  return fail('schema_too_complex', 'Checking needs more stack than there is', {});
}

const { limits } = workerData as WorkerSetup; // parsing: the engine starts the thread with that
const send = (reply: WorkerReply) => parentPort?.postMessage(reply);
const worker = new SchemaWorker(limits, send);
parentPort?.on('message', (request: WorkerRequest) => send(worker.answer(request)));
send({ kind: 'started' });
