// What `countersign/client` exports.
export { ConnectionError, type ConnectionFault } from './connection-error.js';
export { createClient } from './create-client.js';
export type { ClientOptions } from './options.js';
export { watch, type WatchOptions } from './watch.js';
export { waitForState, type StateCondition, type WaitLimits } from './wait-for-state.js';
export type { ErrorCode, Outcome, Refusal, Violation } from '../domain/errors.js';
export type { JsonObject, JsonValue } from '../domain/json.js';
export type * from '../ports/api/index.js';
export type { KeyService, KeyWriteOptions } from '../ports/key-service.js';
export type {
  CallbackService,
  Countersign,
  NewsOptions,
  OperationService,
  RunnerService,
  RunService,
  SchemaService,
  SessionService,
  StateService,
  WebhookService,
  StreamOptions,
  StreamService,
  EventStream,
  WriteOptions,
} from '../ports/service.js';
