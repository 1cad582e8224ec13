// The worker thread: performs work that can take long. Unlike the main thread, it can be ended.
import { parentPort, workerData } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import { refused, type Outcome, type Violation } from '../../domain/errors.js';
import type { JsonValue } from '../../domain/json/json.js';
import { Compilers, type CompiledSchema } from '../ajv/ajv.js';
import { contains } from '../compatibility/index.js';
import { doDocumentWork } from './document-work.js';
import { SchemaFault } from '../lowering/lower.js';
import { runValidator, unfit } from '../ajv/run-validator.js';
import { admitInWorker } from '../admission/worker-admission.js';
import type { WorkerReply, WorkerRequest, WorkerSetup } from './worker-protocol.js';

const { limits } = workerData as WorkerSetup;
const validators = new LRUCache<string, CompiledSchema>({ max: limits.compiledSchemasMax });

const compilers = new Compilers();
/** The document received last. */
let last: JsonValue = null;

function send(reply: WorkerReply): void {
  parentPort?.postMessage(reply);
}

function validate(request: WorkerRequest & { kind: 'validate' }): WorkerReply {
  const { hash, schema } = request;
  if (!request.sameDocument) last = request.document;
  let validator = validators.get(hash);
  if (validator === undefined) {
    if (schema === null) return { kind: 'unknown_schema' };
    validator = compilers.compile(schema);
    validators.set(hash, validator);
  }
  return { kind: 'done', outcome: runValidator(validator, last, limits.violationsMax) };
}

function answer(request: WorkerRequest): WorkerReply {
  try {
    if (request.kind === 'validate') return validate(request);
    if (request.kind === 'work') return { kind: 'worked', outcome: doDocumentWork(request.work, limits) };
    if (request.kind === 'contains') {
      return { kind: 'compared', containment: contains(request.wider, request.narrower, limits) };
    }
    const admitted = admitInWorker(request.schema, limits, () => send({ kind: 'phase' }));
    return { kind: 'done', outcome: admitted };
  } catch (error) {
    // Ajv and its generated code are recursive: a stack overflow is a property of the schema, not a bug.
    if (error instanceof SchemaFault) return { kind: 'done', outcome: unfit(error.message) };
    if (error instanceof RangeError) return { kind: 'done', outcome: tooComplex() };
    return { kind: 'failed', message: error instanceof Error ? error.message : String(error) };
  }
}

function tooComplex(): Outcome<readonly Violation[]> {
  return refused('schema_too_complex', 'Checking needs more stack than there is', {});
}

parentPort?.on('message', (request: WorkerRequest) => send(answer(request)));
send({ kind: 'started' });
