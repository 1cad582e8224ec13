// The interface of Countersign for one caller. `service/` implements it on a store, `client/` over HTTP;
// callers need not know which. Failures are returned as values. A thrown error is a bug or a lost connection.
import type { Result } from '../domain/errors.js';
import type { JsonValue } from '../domain/json/json.js';
import type * as api from './api/index.js';
import type { HookService } from './hook-service.js';
import type { KeyService } from './key-service.js';
import type { MaybePromise } from '../lib/maybe-promise.js';
import type { WorkflowService } from './workflow-service.js';

/**
 * The version that a write expects. `ifMatch` and `ifNoneMatch` are header values without their quotes (RFC
 * 9110, section 13.1).
 *
 * @example
 * await service.states.replace(stateId, data, { expectedVersion: 7 });
 */
export interface WriteOptions {
  readonly expectedVersion?: number | undefined;
  /**
   * One version, or several accepted ones. A single one differs from `expectedVersion` only in the HTTP
   * status: 412 instead of 409.
   */
  readonly ifMatch?: number | readonly number[] | undefined;
  /** Versions that the state must not have. `*` stands for any version, so every write of an existing state fails. */
  readonly ifNoneMatch?: '*' | readonly number[] | undefined;
  readonly dryRun?: boolean | undefined;
  /**
   * The version that the write is based on; `last_read` for the one that the session last read. Changes that
   * others made since then are kept.
   */
  readonly baseVersion?: api.BaseVersion | undefined;
  /** How to handle a location that others changed too. Default: `merge`. Only valid with `baseVersion`. */
  readonly onConflict?: api.OnConflict | undefined;
}

/**
 * Options of a read that waits for a version above `afterVersion`.
 *
 * @example
 * const read = await service.states.get(stateId, undefined, { afterVersion: 7, waitMs: 30_000 });
 */
export interface WaitOptions {
  readonly afterVersion: number;
  /** How long to wait for a newer version, in milliseconds; at most `waitMsMax`. Default: 0. */
  readonly waitMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Workflow schemas. @example await service.schemas.register({ name: 'plan', json_schema: schema }); */
export interface SchemaService {
  /** Registers a schema version. `created` is false if the name already had a version with the same content. */
  register(body: api.SchemaRegister): Promise<Result<{ schema: api.SchemaView; created: boolean }>>;
  /**
   * Reports what a registration would do: the version, the compatibility, and the live states that the schema
   * refuses.
   */
  tryRegister(body: api.SchemaRegister): Promise<Result<api.SchemaDryRun>>;
  list(query: api.SchemaListQuery): Promise<Result<api.Listed<api.SchemaView>>>;
  get(name: string, version?: number): Promise<Result<api.SchemaView>>;
  /** Validates a document as the first one of a state would be. Default: against the newest version. */
  validate(name: string, data: JsonValue, version?: number): Promise<Result<api.SchemaValidation>>;
  versions(name: string, query: api.PageQuery): Promise<Result<api.Listed<api.SchemaView>>>;
  remove(name: string, version: number): Promise<Result<null>>;
}

/** Workflow states. @example await service.states.mergePatch(stateId, { status: 'done' }, {}); */
export interface StateService {
  create(body: api.StateCreate): Promise<Result<api.StateEnvelope>>;
  list(query: api.StateListQuery): Promise<Result<api.Listed<api.StateSummary>>>;
  /**
   * With `wait`, waits for a newer version. If none came in time, the reply has `timed_out`. While the state
   * does not change and is cached, the service returns the same object.
   */
  get(stateId: string, atVersion?: number, wait?: WaitOptions): MaybePromise<Result<api.StateRead>>;
  getAt(
    stateId: string,
    pointer: string,
    atVersion?: number,
    wait?: WaitOptions,
  ): Promise<Result<api.StateReadAtPointer>>;
  /**
   * Waits until the document satisfies `until` or `fail_on`, or the time is up. Fails at once with
   * `state_not_found` if the state is deleted meanwhile.
   */
  wait(stateId: string, body: api.StateWait, signal?: AbortSignal): Promise<Result<api.StateWaited>>;
  replace(stateId: string, data: JsonValue, options: WriteOptions): Promise<Result<api.StateWritten>>;
  /** Applies a JSON Patch (RFC 6902). `operations` is unvalidated input. */
  patch(stateId: string, operations: JsonValue, options: WriteOptions): Promise<Result<api.StateWritten>>;
  /** Applies a merge patch (RFC 7396). */
  mergePatch(stateId: string, patch: JsonValue, options: WriteOptions): Promise<Result<api.StateWritten>>;
  /** Moves the state to another version of its schema and changes the document, as one write. */
  migrate(stateId: string, body: api.StateMigrate, options: WriteOptions): Promise<Result<api.StateWritten>>;
  /** Applies atomic operators to the current document, all or none. `operations` is unvalidated input. */
  ops(stateId: string, operations: JsonValue, options: WriteOptions): Promise<Result<api.StateWritten>>;
  /** Returns the JSON Patch from one version to another, in either direction. `to` defaults to the current version. */
  diff(stateId: string, query: api.DiffQuery): Promise<Result<api.StateDiff>>;
  /** Writes an old version as a new one. The checks are those of any write. */
  revert(stateId: string, toVersion: number, options: WriteOptions): Promise<Result<api.StateWritten>>;
  events(stateId: string, query: api.EventQuery): Promise<Result<api.EventList>>;
  remove(stateId: string, options?: Pick<WriteOptions, 'ifMatch' | 'ifNoneMatch'>): Promise<Result<null>>;
}

/**
 * Sessions. Each call names a session by id or name.
 *
 * @example
 * const result = await service.sessions.create({ session_name: 'review', external: true });
 */
export interface SessionService {
  create(body: api.SessionCreate): Promise<Result<api.SessionCreated>>;
  list(query: api.SessionListQuery): Promise<Result<api.Listed<api.SessionView>>>;
  get(session: string): Promise<Result<api.SessionView>>;
  tree(session: string): Promise<Result<api.SessionTree>>;
  result(session: string): Promise<Result<api.SessionResult>>;
  state(session: string): Promise<Result<api.StateEnvelope>>;
  /**
   * Removes a session. With `cascade`, a root's workflow state is removed too; else the state stays and is
   * listed as orphaned.
   */
  remove(session: string, options?: { readonly cascade?: boolean | undefined }): Promise<Result<null>>;
  report(session: string, event: api.SessionEvent): Promise<Result<api.SessionEventAnswer>>;
  stop(session: string, body?: api.Reason): Promise<Result<api.SessionView>>;
  /** Completions of the current work of sessions, oldest first. */
  completions(query: api.CompletionListQuery): Promise<Result<api.Listed<api.CompletionListed>>>;
  completion(session: string): Promise<Result<api.CompletionView>>;
  skip(session: string, body: api.Reason): Promise<Result<api.CompletionView>>;
  retry(session: string, body: api.Reason): Promise<Result<api.CompletionView>>;
  /**
   * Returns callbacks for a parent that pulls, up to the size of one message. They count as delivered once
   * this returns. Each later pull returns them again until they are acknowledged.
   */
  pullCallbacks(session: string, waitMs: number, signal?: AbortSignal): Promise<Result<api.PulledCallbacks>>;
}

/**
 * Where a stream begins, and how to end it.
 *
 * @example
 * const result = await service.streams.state(stateId, { snapshot: true, signal: controller.signal });
 */
export interface StreamOptions {
  /** Continue after this event id: the last one received. Default: only new events. */
  readonly after?: string | undefined;
  /** Start with a snapshot of the state. Ignored if `after` is given. */
  readonly snapshot?: boolean | undefined;
  /** Ends the stream. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Events in commit order, each exactly once, in batches. The first event is a `snapshot` or a `bookmark` with
 * the start position. After idle time a further `bookmark` follows. If the service ends the stream, the last
 * event is `dropped`, with the reason.
 *
 * @example
 * for await (const events of outcome.value) for (const { event, data } of events) handle(event, data);
 */
export type EventStream = AsyncIterable<readonly api.StreamEvent[]>;

/** Streams of events. @example const result = await service.streams.all({}); */
export interface StreamService {
  /** Follows one state. Ids are versions. Fails with `version_compacted` if the history no longer has the start. */
  state(stateId: string, options?: StreamOptions): Promise<Result<EventStream>>;
  /** Follows everything that the caller may see, or one tree, or one state. Ids are feed positions. */
  all(
    filter: { rootSession?: string | undefined; stateId?: string | undefined },
    options?: StreamOptions,
  ): Promise<Result<EventStream>>;
}

/** Named agents. @example const agents = await service.agents.list({}); */
export interface AgentService {
  list(query: api.PageQuery): Promise<Result<api.Listed<api.AgentView>>>;
  /** Returns an agent. If its file cannot be used, the result says why. */
  get(name: string): Promise<Result<api.AgentDetail>>;
}

/** Callbacks to parents. @example await service.callbacks.acknowledge(callbackId); */
export interface CallbackService {
  list(query: api.CallbackListQuery): Promise<Result<api.Listed<api.CallbackView>>>;
  acknowledge(callbackId: string): Promise<Result<api.CallbackView>>;
  redeliver(callbackId: string, body?: api.Reason): Promise<Result<api.CallbackView>>;
}

/** Runs of agents. @example await service.runs.create({ type: 'start_session', session_name: 'review', prompt }); */
export interface RunService {
  create(body: api.RunCreate): Promise<Result<api.RunView>>;
  list(query: api.RunListQuery): Promise<Result<api.Listed<api.RunView>>>;
  get(runId: string): Promise<Result<api.RunView>>;
  stop(runId: string, body?: api.Reason): Promise<Result<api.RunView>>;
}

/** The interface for runners. @example await service.runners.poll({ runnerId, waitMs: 25_000 }); */
export interface RunnerService {
  register(body: api.RunnerRegister): Promise<Result<api.RunnerRegistered>>;
  /** A session sees neither hosts nor the runs of other trees. */
  list(query?: api.PageQuery): Promise<Result<api.Listed<api.RunnerView>>>;
  remove(runnerId: string): Promise<Result<null>>;
  /** Waits for runs to execute and runs to stop. Both lists are empty if the wait ended without any. */
  poll(
    query: { runnerId: string; waitMs: number; capacity?: number | undefined },
    signal?: AbortSignal,
  ): Promise<Result<api.RunnerWork>>;
  heartbeat(body: api.RunnerHeartbeat, signal?: AbortSignal): Promise<Result<api.HeartbeatAnswer>>;
  started(runId: string, body: api.RunStarted): Promise<Result<api.RunView>>;
  completed(runId: string, body: api.RunCompleted): Promise<Result<api.RunView>>;
  failed(runId: string, body: api.RunFailed): Promise<Result<api.RunView>>;
  stopped(runId: string, body: api.RunStopped): Promise<Result<api.RunView>>;
}

/** Webhooks. @example await service.webhooks.create({ url, events: ['workflow_state_updated'] }); */
export interface WebhookService {
  /** Creates a webhook. Only this reply contains the secret. */
  create(body: api.WebhookCreate): Promise<Result<api.WebhookCreated>>;
  list(query: api.WebhookListQuery): Promise<Result<api.Listed<api.WebhookView>>>;
  get(webhookId: string): Promise<Result<api.WebhookView>>;
  remove(webhookId: string): Promise<Result<null>>;
  /** Enables a webhook. It gets what is committed from now on. */
  enable(webhookId: string): Promise<Result<api.WebhookView>>;
  /** Disables a webhook until it is enabled again. Its undelivered messages become dead letters. */
  disable(webhookId: string, body: api.Reason): Promise<Result<api.WebhookView>>;
  /** Newest first. */
  deliveries(webhookId: string, query: api.DeliveryListQuery): Promise<Result<api.Listed<api.DeliveryView>>>;
  redeliver(webhookId: string, deliveryId: string, body?: api.Reason): Promise<Result<api.DeliveryView>>;
}

/** Operations of the service itself. @example const report = await service.operations.doctor(); */
export interface OperationService {
  /** Checks invariants of the stored data, such as lost or duplicate callbacks and gaps in a history. */
  doctor(): Promise<Result<api.DoctorReport>>;
  /** Numbers of records by status. Not for sessions. */
  overview(): Promise<Result<api.Overview>>;
  /** Whom the service takes the caller for, and what it may use. */
  whoAmI(): Promise<Result<api.WhoAmI>>;
  /** Writes and ended runs of the last hour, minute by minute. Not for sessions. */
  activity(): Promise<Result<api.Activity>>;
}

/**
 * The whole service, on behalf of one caller.
 *
 * @example
 * const result = await service.states.get(stateId);
 * if (!result.ok) console.error(result.failure.error, result.failure.detail);
 */
export interface Countersign {
  readonly schemas: SchemaService;
  readonly states: StateService;
  readonly keys: KeyService;
  readonly workflow: WorkflowService;
  readonly sessions: SessionService;
  readonly callbacks: CallbackService;
  readonly agents: AgentService;
  readonly runs: RunService;
  readonly runners: RunnerService;
  readonly webhooks: WebhookService;
  readonly operations: OperationService;
  readonly streams: StreamService;
  readonly hooks: HookService;
}
