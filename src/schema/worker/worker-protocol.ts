// Messages between the main thread and the worker. All of them survive structured cloning.
import type { Result, Violation } from '../../domain/errors.js';
import type { JsonObject, JsonValue } from '../../domain/json/json.js';
import type { Limits } from '../../domain/limits.js';
import type { Containment, DocumentWork, DocumentWorked } from '../../ports/schema-engine.js';

/** What a worker is started with. */
export interface WorkerSetup {
  readonly limits: Limits;
}

/** One job. A worker gets the next job after it has answered. */
export type WorkerRequest =
  | { readonly kind: 'admit'; readonly schema: JsonObject }
  | { readonly kind: 'work'; readonly work: DocumentWork }
  | { readonly kind: 'contains'; readonly wider: JsonObject; readonly narrower: JsonObject }
  | ({
      readonly kind: 'validate';
      readonly hash: string;
      /** `null` if this worker has received the schema before; it may have evicted it since. */
      readonly schema: JsonObject | null;
    } & (
      | { readonly sameDocument: false; readonly document: JsonValue }
      /** The document that this worker received last. */
      | { readonly sameDocument: true }
    ));

/** `started` once; then for each job any number of `phase` (the next deadline begins) and one of the others. */
export type WorkerReply =
  | { readonly kind: 'started' }
  | { readonly kind: 'phase' }
  | { readonly kind: 'done'; readonly result: Result<readonly Violation[]> }
  | { readonly kind: 'worked'; readonly result: Result<DocumentWorked> }
  | { readonly kind: 'compared'; readonly containment: Containment }
  | { readonly kind: 'unknown_schema' }
  | { readonly kind: 'failed'; readonly message: string };
