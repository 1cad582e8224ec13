// Watches whether callers of long-lasting operations (streams, sockets, waits) stay authenticated: a token may
// expire or be revoked, or its session may be deleted meanwhile.
import { callerOf, type Actor } from '../domain/access/actor.js';
import { fail, type Failure } from '../domain/errors.js';
import type { Limits } from '../domain/limits.js';
import type { Logger } from '../ports/runtime.js';
import type { Credentials, Host } from '../ports/host.js';

/** One long-lasting use of a caller's credentials. */
export interface WatchedCaller {
  /** Aborts when the credentials are no longer valid. */
  readonly signal: AbortSignal;
  /** Why it aborted; `null` before that. */
  readonly failure: Failure | null;
  /**
   * Checks at once.
   *
   * @returns The value of `failure` after the check.
   */
  look(): Promise<Failure | null>;
  /** Ends the watch. A second call changes nothing. */
  stop(): void;
}

interface Parts {
  readonly host: Pick<Host, 'identify'>;
  readonly limits: Pick<Limits, 'callerRecheckMs'>;
  readonly logger: Pick<Logger, 'warn'>;
}

/** All uses of the same credentials. They are checked together. */
class Watch {
  readonly users = new Set<(failure: Failure) => void>();

  constructor(
    readonly credentials: Credentials,
    readonly caller: string,
  ) {}
}

/** Each caller gets its own signal, because a shared one would collect the listeners of all. */
const unwatched = (): WatchedCaller => ({
  signal: new AbortController().signal,
  failure: null,
  look: () => Promise.resolve(null),
  stop: () => undefined,
});

export class CallerWatch {
  readonly #watches = new Map<string, Watch>();
  #timer: NodeJS.Timeout | null = null;

  constructor(private readonly parts: Parts) {}

  /** @param actor - The identity of the credentials when the caller was admitted. */
  watch(credentials: Credentials, actor: Actor): WatchedCaller {
    // An anonymous caller stays anonymous, even if a header names a session that does not exist yet.
    if (actor.kind === 'operator' && actor.tokenName === null) return unwatched();
    const caller = callerOf(actor);
    const { bearer, sessionId, sessionName } = credentials;
    const key = JSON.stringify([bearer, sessionId, sessionName, caller]);
    const watch = this.#watches.get(key) ?? new Watch(credentials, caller);
    this.#watches.set(key, watch);
    this.#timer ??= setTimeout(() => void this.#lookAtAll(), this.parts.limits.callerRecheckMs).unref();
    const ending = new AbortController();
    let failure: Failure | null = null;
    const end = (why: Failure) => {
      failure = why;
      ending.abort();
    };
    watch.users.add(end);
    return {
      signal: ending.signal,
      get failure() {
        return failure;
      },
      look: async () => {
        if (failure === null) await this.#lookAt(watch);
        return failure;
      },
      stop: () => {
        watch.users.delete(end);
        if (watch.users.size === 0 && this.#watches.get(key) === watch) this.#watches.delete(key);
      },
    };
  }

  /** Checks one after the other, so that many callers do not block other work. */
  async #lookAtAll(): Promise<void> {
    for (const watch of [...this.#watches.values()]) if (watch.users.size > 0) await this.#lookAt(watch);
    this.#timer = null;
    if (this.#watches.size === 0) return;
    this.#timer = setTimeout(() => void this.#lookAtAll(), this.parts.limits.callerRecheckMs).unref();
  }

  /** If a check is impossible, for example because the database is not readable, the caller stays admitted. */
  async #lookAt({ credentials, caller, users }: Watch): Promise<void> {
    const { host, logger } = this.parts;
    try {
      const known = await host.identify(credentials);
      if (known.ok && callerOf(known.value) === caller) return;
      const { failure } = known.ok
        ? fail('unauthorized', 'The credentials now identify another caller.')
        : known;
      for (const end of [...users]) end(failure);
    } catch (error) {
      logger.warn({ err: error }, "a caller's credentials could not be checked again");
    }
  }
}
