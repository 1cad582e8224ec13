// The service for one caller. It creates each part on access, because most requests need only one of them.
import type { Countersign } from '../ports/service.js';
import { agentService, type AgentServiceParts } from './agents/agent-service.js';
import { callbackService, type CallbackServiceParts } from './callbacks/callback-service.js';
import type { Caller } from './caller.js';
import { hookService, type HookServiceParts } from './hooks/hook-service.js';
import { keyService, type KeyServiceParts } from './keys/key-service.js';
import { operationService, type OperationServiceParts } from './operations/operation-service.js';
import { runnerService, type RunnerServiceParts } from './runs/runner-service.js';
import { runService, type RunServiceParts } from './runs/run-service.js';
import { schemaService, type SchemaServiceParts } from './schemas/schema-service.js';
import { sessionService, type SessionServiceParts } from './sessions/session-service.js';
import { stateService, type StateServiceParts } from './states/state-service.js';
import { workflowService, type WorkflowServiceParts } from './workflow/workflow-service.js';
import { webhookService, type WebhookServiceParts } from './webhooks/webhook-service.js';
import { streamService, type StreamServiceParts } from './streams/stream-service.js';

/** What the use cases of a caller use. */
interface ServiceParts
  extends
    StateServiceParts,
    KeyServiceParts,
    WorkflowServiceParts,
    SchemaServiceParts,
    SessionServiceParts,
    CallbackServiceParts,
    AgentServiceParts,
    RunServiceParts,
    RunnerServiceParts,
    WebhookServiceParts,
    StreamServiceParts,
    HookServiceParts,
    OperationServiceParts {}

class ServiceOf implements Countersign {
  readonly #caller: Caller<ServiceParts>;
  #states: Countersign['states'] | null = null;

  constructor(caller: Caller<ServiceParts>) {
    this.#caller = caller;
  }

  get states() {
    return (this.#states ??= stateService(this.#caller));
  }
  get keys() {
    return keyService(this.#caller);
  }
  get workflow() {
    return workflowService(this.#caller);
  }
  get schemas() {
    return schemaService(this.#caller);
  }
  get sessions() {
    return sessionService(this.#caller);
  }
  get callbacks() {
    return callbackService(this.#caller);
  }
  get agents() {
    return agentService(this.#caller);
  }
  get runs() {
    return runService(this.#caller);
  }
  get runners() {
    return runnerService(this.#caller);
  }
  get webhooks() {
    return webhookService(this.#caller);
  }
  get streams() {
    return streamService(this.#caller);
  }
  get hooks() {
    return hookService(this.#caller);
  }
  get operations() {
    return operationService(this.#caller);
  }
}

export function serviceOf(caller: Caller<ServiceParts>): Countersign {
  return new ServiceOf(caller);
}
