// The exports of `countersign/client`.
export { ConnectionError, type ConnectionFault } from './transport/connection-error.js';
export { Countersign } from './countersign.js';
export { CountersignError } from './countersign-error.js';
export { createClient } from './create-client.js';
export type { FetchFunction, FetchRequest, FetchResponse, ResponseHeaders } from './transport/fetch.js';
export type { ClientOptions } from './transport/options.js';
export type { ProblemFailure } from './transport/problem.js';
export type { RetryClock, RetryOptions } from './transport/retry.js';
export type { Throwing, ThrowingService } from './throwing.js';
export {
  updateState,
  type Change,
  type MutableJsonObject,
  type MutableJsonValue,
  type UpdateOptions,
} from './update.js';
export { watch, type WatchEvent, type WatchOptions, type WatchTarget } from './watch.js';
export { waitForState, type StateCondition, type WaitLimits } from './wait-for-state.js';
export type { ErrorCode, Result, Failure, Violation } from '../domain/errors.js';
export type { JsonObject, JsonValue } from '../domain/json/json.js';
export type { Components } from '../ports/api/components.js';
export type * from '../ports/api/index.js';
export type { KeyService, KeyWriteOptions } from '../ports/key-service.js';
export type {
  AgentService,
  CallbackService,
  Countersign as CountersignService,
  WaitOptions,
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
