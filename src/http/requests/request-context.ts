// The context of one request: what handlers may read from it.
import type { IncomingMessage } from 'node:http';
import { isToolCallId, type Actor } from '../../domain/access/actor.js';
import { ok, type Result } from '../../domain/errors.js';
import { after, type MaybePromise } from '../../lib/maybe-promise.js';
import type { Credentials } from '../../ports/host.js';
import type { Countersign } from '../../ports/service.js';
import type { WatchedCaller } from '../caller-watch.js';
import type { ServerContext } from '../server-context.js';
import { credentialsOf } from './credentials.js';
import type { Inbound } from './inbound.js';
import type { TextMembers } from './validation/validate.js';
import { PendingReads } from './pending-reads.js';
import { withSignal } from '../../lib/signals.js';

/** If an answer took no longer than this, the caller is not checked again. */
const WAITED_MS = 100;

const isRead = (method: string) => method === 'GET' || method === 'HEAD';

export class RequestContext {
  readonly server: ServerContext;
  readonly inbound: Inbound;
  readonly requestId: string;
  #answerHeaders: Record<string, string> | null = null;
  #reads: PendingReads | null = null;

  constructor(server: ServerContext, inbound: Inbound) {
    this.server = server;
    this.inbound = inbound;
    this.requestId = server.requestIds.of(inbound.header('x-request-id'));
  }

  get method(): string {
    return this.inbound.method;
  }

  get path(): string {
    return this.inbound.path;
  }

  /** The request as Node's message, if it came over a socket. */
  get message(): IncomingMessage | undefined {
    return this.inbound.message;
  }

  /** A request header by its lower-case name. */
  header(name: string): string | null {
    return this.inbound.header(name);
  }

  /** Headers that the answer gets, whether it is a problem or not. */
  get answerHeaders(): Readonly<Record<string, string>> | null {
    return this.#answerHeaders;
  }

  answerHeader(name: string, value: string): void {
    this.#answerHeaders ??= {};
    this.#answerHeaders[name] = value;
  }

  /** The parameters in the path; `null` if there are none. */
  params(): TextMembers | null {
    return this.inbound.params();
  }

  /** False if the query is not percent-encoded UTF-8, so that parts of it would be misread. */
  get queryIsDecodable(): boolean {
    const { search } = this.inbound;
    if (search?.includes('%') !== true) return true;
    try {
      decodeURIComponent(search);
      return true;
    } catch {
      return false;
    }
  }

  /** The members of the query string; `null` for none. */
  query(): TextMembers | null {
    const { search } = this.inbound;
    if (search === null) return null;
    const members = new Map<string, string | string[]>();
    for (const [name, value] of new URLSearchParams(`?${search}`)) {
      const before = members.get(name);
      if (before === undefined) members.set(name, value);
      else members.set(name, typeof before === 'string' ? [before, value] : [...before, value]);
    }
    return Object.fromEntries(members);
  }

  #credentials(): Credentials {
    return credentialsOf((name) => this.header(name));
  }

  /** Lets the service identify the caller. */
  actor(): MaybePromise<Result<Actor>> {
    const actor = this.server.host.identify(this.#credentials());
    const toolCallId = this.header('x-tool-call-id');
    if (toolCallId === null || !isToolCallId(toolCallId)) return actor;
    return after(actor, (known) => (known.ok ? ok({ ...known.value, toolCallId }) : known));
  }

  /** The service on behalf of the caller. What a session reads with `GET` counts only as `delivered`. */
  serviceFor(actor: Actor): Countersign {
    const { host } = this.server;
    if (actor.kind !== 'session' || !isRead(this.method)) return host.as(actor);
    this.#reads = new PendingReads();
    return host.as(actor, this.#reads);
  }

  /** The answer does not have what was read, so the caller does not know it. */
  withholdReads(): void {
    this.#reads?.discard();
  }

  /** The answer is about to be sent. @returns What to wait for before. */
  delivered(): MaybePromise<void> {
    const willArrive = this.method !== 'HEAD' && this.message?.socket.destroyed !== true;
    return willArrive ? this.#reads?.delivered() : undefined;
  }

  /** Watches whether the caller's credentials stay valid. Call `stop` to end the watch. */
  watched(actor: Actor): WatchedCaller {
    return this.server.callers.watch(this.#credentials(), actor);
  }

  /**
   * Runs work with a signal that aborts when the client disconnects, the caller is no longer allowed, or the
   * server stops.
   *
   * @returns The result; or the failure if the caller is no longer allowed, who then does not get the result.
   */
  async waiting<T>(actor: Actor, work: (signal: AbortSignal) => Promise<Result<T>>): Promise<Result<T>> {
    const { gone, stopping } = this.inbound;
    const watched = this.watched(actor);
    const startedAt = performance.now();
    try {
      const result = await withSignal(
        [gone, watched.signal, ...(stopping === undefined ? [] : [stopping])],
        work,
      );
      if (gone.aborted) this.withholdReads();
      const failure = performance.now() - startedAt < WAITED_MS ? watched.failure : await watched.look();
      return failure === null ? result : { ok: false, failure };
    } finally {
      watched.stop();
    }
  }
}
