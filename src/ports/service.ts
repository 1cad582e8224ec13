// What Countersign does for one caller. Two rooms implement it: `service/` on a store, `client/` over HTTP.
// Whoever holds one of these need not know which it is. Refusals are values; what throws is a bug or a lost connection.
import type { Actor } from '../domain/access/actor.js';
import type { Outcome } from '../domain/errors.js';
import type { JsonValue } from '../domain/json/json.js';
import type * as api from './api/index.js';
import type { HookService } from './hook-service.js';
import type { KeyService } from './key-service.js';
import type { Soon } from './soon.js';

/** How a write says which version it expects. `ifMatch` is the header's value, already taken out of its quotes. */
export interface WriteOptions {
  readonly expectedVersion?: number | undefined;
  /** The version, or one of several. One alone differs from `expectedVersion` in the HTTP answer only: 412 instead of 409. */
  readonly ifMatch?: number | readonly number[] | undefined;
  /** Versions that the state must not have; `*` for any, so that no write of a state that is there holds to it. */
  readonly ifNoneMatch?: '*' | readonly number[] | undefined;
  readonly dryRun?: boolean | undefined;
  /**
   * The version that the write was made on; `last_read` for the one that the session last read. What others wrote
   * since then is kept.
   */
  readonly baseVersion?: api.BaseVersion | undefined;
  /** What becomes of a place that others changed too; `merge` by default. Only together with `baseVersion`. */
  readonly onConflict?: api.OnConflict | undefined;
}

/** A read that waits for a version above the one that the caller has. */
export interface NewsOptions {
  readonly afterVersion: number;
  /** How long to wait where there is none yet, milliseconds; cut at the bound of all waits. 0 by default. */
  readonly waitMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface SchemaService {
  /** `created` tells a new version from one that was there with the same content. */
  register(body: api.SchemaRegister): Promise<Outcome<{ schema: api.SchemaView; created: boolean }>>;
  /** What registering would come to: the version, the compatibility, and which live states it would refuse. */
  tryRegister(body: api.SchemaRegister): Promise<Outcome<api.SchemaDryRun>>;
  list(query: api.SchemaListQuery): Promise<Outcome<api.Listed<api.SchemaView>>>;
  get(name: string, version?: number): Promise<Outcome<api.SchemaView>>;
  versions(name: string, query: api.PageQuery): Promise<Outcome<api.Listed<api.SchemaView>>>;
  remove(name: string, version: number): Promise<Outcome<null>>;
}

export interface StateService {
  create(body: api.StateCreate): Promise<Outcome<api.StateEnvelope>>;
  list(query: api.StateListQuery): Promise<Outcome<api.Listed<api.StateSummary>>>;
  /**
   * With `news` the answer is the state as soon as it is newer; `timed_out` where it did not become so in time.
   * The same object for as long as the state stays as it is, where the service still has it at hand.
   */
  get(stateId: string, atVersion?: number, news?: NewsOptions): Soon<Outcome<api.StateRead>>;
  getAt(
    stateId: string,
    pointer: string,
    atVersion?: number,
    news?: NewsOptions,
  ): Promise<Outcome<api.StateReadAtPointer>>;
  /**
   * Answers as soon as the document satisfies `until` (or `fail_on`), or when the time is over.
   * `state_not_found` at once where the state is deleted meanwhile.
   */
  wait(stateId: string, body: api.StateWait, signal?: AbortSignal): Promise<Outcome<api.StateWaited>>;
  replace(stateId: string, data: JsonValue, options: WriteOptions): Promise<Outcome<api.StateWritten>>;
  /** JSON Patch (RFC 6902); `operations` is whatever the caller sent. */
  patch(stateId: string, operations: JsonValue, options: WriteOptions): Promise<Outcome<api.StateWritten>>;
  /** Merge patch (RFC 7396). */
  mergePatch(stateId: string, patch: JsonValue, options: WriteOptions): Promise<Outcome<api.StateWritten>>;
  /** Moves the state to another version of its schema, and changes the document with it, as one write. */
  migrate(stateId: string, body: api.StateMigrate, options: WriteOptions): Promise<Outcome<api.StateWritten>>;
  /** Atomic operators on the document as it is, all or none; `operations` is whatever the caller sent. */
  ops(stateId: string, operations: JsonValue, options: WriteOptions): Promise<Outcome<api.StateWritten>>;
  /** The JSON Patch that leads from one version to another, in either direction; `to` is the present by default. */
  diff(stateId: string, query: api.DiffQuery): Promise<Outcome<api.StateDiff>>;
  /** Writes an old version as a new one, on the same terms as any write. */
  revert(stateId: string, toVersion: number, options: WriteOptions): Promise<Outcome<api.StateWritten>>;
  events(stateId: string, query: api.EventQuery): Promise<Outcome<api.EventList>>;
  remove(stateId: string, options?: Pick<WriteOptions, 'ifMatch' | 'ifNoneMatch'>): Promise<Outcome<null>>;
}

/** Sessions are named by id or by name. */
export interface SessionService {
  create(body: api.SessionCreate): Promise<Outcome<api.SessionCreated>>;
  list(query: api.SessionListQuery): Promise<Outcome<api.Listed<api.SessionView>>>;
  get(session: string): Promise<Outcome<api.SessionView>>;
  tree(session: string): Promise<Outcome<api.SessionTree>>;
  result(session: string): Promise<Outcome<api.SessionResult>>;
  state(session: string): Promise<Outcome<api.StateEnvelope>>;
  /** With `cascade` a root takes its workflow state with it; else the state stays, and is listed as orphaned. */
  remove(session: string, options?: { readonly cascade?: boolean | undefined }): Promise<Outcome<null>>;
  report(session: string, event: api.SessionEvent): Promise<Outcome<api.SessionEventAnswer>>;
  stop(session: string): Promise<Outcome<api.SessionView>>;
  completion(session: string): Promise<Outcome<api.CompletionView>>;
  skip(session: string, body: api.Reason): Promise<Outcome<api.CompletionView>>;
  retry(session: string, body: api.Reason): Promise<Outcome<api.CompletionView>>;
  /**
   * Callbacks for a parent that pulls, as many as a message may hold. They count as delivered once they are answered
   * here, and are given again until they are acknowledged.
   */
  pullCallbacks(session: string, waitMs: number, signal?: AbortSignal): Promise<Outcome<api.PulledCallbacks>>;
}

/** Where a stream begins, and how it is ended. */
export interface StreamOptions {
  /** The id after which to go on: what came last. The present by default. */
  readonly after?: string | undefined;
  /** Begin with the state as it is. Where `after` is named, that counts instead. */
  readonly snapshot?: boolean | undefined;
  /** Ends the stream. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Events in the order of their commits, every one once: those of one step come together. First comes a `snapshot` or a
 * `bookmark` with the place where the stream begins, and a `bookmark` again whenever it has been idle for a while.
 * Where it has to end, the last event is `dropped`, with the reason.
 */
export type EventStream = AsyncIterable<readonly api.StreamEvent[]>;

export interface StreamService {
  /** Follows one state; ids are versions. Refused with `version_compacted` where the place is not kept any more. */
  state(stateId: string, options?: StreamOptions): Promise<Outcome<EventStream>>;
  /** Follows everything that the caller may see, or one tree, or one state; ids are places in one order of all. */
  all(
    filter: { rootSession?: string | undefined; stateId?: string | undefined },
    options?: StreamOptions,
  ): Promise<Outcome<EventStream>>;
}

/** Named agents. */
export interface AgentService {
  list(query: api.PageQuery): Promise<Outcome<api.Listed<api.AgentView>>>;
  /** One whose file cannot be used is told too, with what is wrong. */
  get(name: string): Promise<Outcome<api.AgentDetail>>;
}

export interface CallbackService {
  list(query: api.CallbackListQuery): Promise<Outcome<api.Listed<api.CallbackView>>>;
  acknowledge(callbackId: string): Promise<Outcome<api.CallbackView>>;
  redeliver(callbackId: string): Promise<Outcome<api.CallbackView>>;
}

export interface RunService {
  create(body: api.RunCreate): Promise<Outcome<api.RunView>>;
  list(query: api.RunListQuery): Promise<Outcome<api.Listed<api.RunView>>>;
  get(runId: string): Promise<Outcome<api.RunView>>;
  stop(runId: string): Promise<Outcome<api.RunView>>;
}

export interface RunnerService {
  register(body: api.RunnerRegister): Promise<Outcome<api.RunnerRegistered>>;
  list(): Promise<Outcome<api.Listed<api.RunnerView>>>;
  remove(runnerId: string): Promise<Outcome<null>>;
  /** Runs to execute and runs to stop; both empty where the wait ended without either. */
  poll(
    query: { runnerId: string; waitMs: number; capacity?: number | undefined },
    signal?: AbortSignal,
  ): Promise<Outcome<api.RunnerWork>>;
  heartbeat(body: api.RunnerHeartbeat): Promise<Outcome<api.HeartbeatAnswer>>;
  started(runId: string, body: api.RunStarted): Promise<Outcome<api.RunView>>;
  completed(runId: string, body: api.RunCompleted): Promise<Outcome<api.RunView>>;
  failed(runId: string, body: api.RunFailed): Promise<Outcome<api.RunView>>;
  stopped(runId: string, body: api.RunStopped): Promise<Outcome<api.RunView>>;
}

export interface WebhookService {
  /** The answer is the only one that shows the secret. */
  create(body: api.WebhookCreate): Promise<Outcome<api.WebhookCreated>>;
  list(query: api.WebhookListQuery): Promise<Outcome<api.Listed<api.WebhookView>>>;
  get(webhookId: string): Promise<Outcome<api.WebhookView>>;
  remove(webhookId: string): Promise<Outcome<null>>;
  /** Told again of what is committed from now on. */
  enable(webhookId: string): Promise<Outcome<api.WebhookView>>;
  /** Told of nothing, until it is enabled; what was on its way becomes dead letters. */
  disable(webhookId: string, body: api.Reason): Promise<Outcome<api.WebhookView>>;
  /** Newest first. */
  deliveries(webhookId: string, query: api.DeliveryListQuery): Promise<Outcome<api.Listed<api.DeliveryView>>>;
  redeliver(webhookId: string, deliveryId: string): Promise<Outcome<api.DeliveryView>>;
}

export interface OperationService {
  /** Looks for what must never be: lost or doubled callbacks, gaps in a history. */
  doctor(): Promise<Outcome<api.DoctorReport>>;
}

/** Everything, as one caller. */
export interface Countersign {
  readonly schemas: SchemaService;
  readonly states: StateService;
  readonly keys: KeyService;
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

/** What a caller shows to say who it is. On an open loopback the session headers count, with `--auth` only the token. */
export interface Credentials {
  readonly bearer: string | null;
  readonly sessionId: string | null;
  readonly sessionName: string | null;
}

/** A request as its idempotency key stands for it. */
export interface KeyedRequest {
  readonly key: string;
  /** Hash of all that makes the request what it is. */
  readonly fingerprint: string;
}

/** The service as a door holds it: everything for any caller. */
export interface Host {
  /** @returns The caller; or `unauthorized`, or `session_not_found` where a header names nobody. */
  identify(credentials: Credentials): Soon<Outcome<Actor>>;
  /** The service as one caller sees it. Cheap. */
  as(actor: Actor): Countersign;
  /**
   * Carries out a request that names an idempotency key. Its effect and what was decided are one commit, so that it
   * happens once; the answer is kept and given again. What was refused is not kept: it had no effect.
   *
   * @returns The answer; or `idempotency_in_flight`, `idempotency_mismatch`, or what `work` refuses.
   */
  once<T extends JsonValue>(
    actor: Actor,
    request: KeyedRequest,
    work: (service: Countersign) => Soon<Outcome<T>>,
  ): Promise<Outcome<{ answer: T; replayed: boolean }>>;
  /** True where requests can be served: the database answers and nothing is shutting down. */
  ready(): Promise<boolean>;
  /** Records by status, for metrics. */
  counts(): Promise<Readonly<Record<string, Readonly<Record<string, number>>>>>;
}
