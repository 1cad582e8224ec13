// Whether callers of what lasts (streams, sockets, waits) are still who they were when they were let in: a token may end,
// be revoked, or its session be deleted meanwhile.
import { callerOf, type Actor } from '../domain/access/actor.js';
import { refused, type Refusal } from '../domain/errors.js';
import type { Limits } from '../domain/limits.js';
import type { Logger } from '../ports/runtime.js';
import type { Credentials, Host } from '../ports/service.js';

/** One use of a caller's credentials that lasts. */
export interface WatchedCaller {
  /** Ends when the credentials do not count any more. */
  readonly signal: AbortSignal;
  /** Why it ended; `null` while it has not. */
  readonly refusal: Refusal | null;
  /** Looks at once. @returns What `refusal` says then. */
  look(): Promise<Refusal | null>;
  /** Gives the watch up; once more changes nothing. */
  stop(): void;
}

interface Parts {
  readonly host: Pick<Host, 'identify'>;
  readonly limits: Pick<Limits, 'callerRecheckMs'>;
  readonly logger: Pick<Logger, 'warn'>;
}

/** All uses of the same credentials: they are looked at once for all of them. */
class Watch {
  readonly users = new Set<(refusal: Refusal) => void>();

  constructor(
    readonly credentials: Credentials,
    readonly caller: string,
  ) {}
}

/** Each with a signal of its own: one for all would gather the listeners of all. */
const unwatched = (): WatchedCaller => ({
  signal: new AbortController().signal,
  refusal: null,
  look: () => Promise.resolve(null),
  stop: () => undefined,
});

export class CallerWatch {
  readonly #watches = new Map<string, Watch>();
  #timer: NodeJS.Timeout | null = null;

  constructor(private readonly parts: Parts) {}

  /** Credentials that are watched at present. */
  get size(): number {
    return this.#watches.size;
  }

  /** @param actor - Whom the credentials stood for when the caller was let in. */
  watch(credentials: Credentials, actor: Actor): WatchedCaller {
    // Whoever is nobody in particular stays so, also where a header names a session that is not there yet.
    if (actor.kind === 'operator' && actor.tokenName === null) return unwatched();
    const caller = callerOf(actor);
    const { bearer, sessionId, sessionName } = credentials;
    const key = JSON.stringify([bearer, sessionId, sessionName, caller]);
    const watch = this.#watches.get(key) ?? new Watch(credentials, caller);
    this.#watches.set(key, watch);
    this.#timer ??= setTimeout(() => void this.#lookAtAll(), this.parts.limits.callerRecheckMs).unref();
    const over = new AbortController();
    let refusal: Refusal | null = null;
    const end = (why: Refusal) => {
      refusal = why;
      over.abort();
    };
    watch.users.add(end);
    return {
      signal: over.signal,
      get refusal() {
        return refusal;
      },
      look: async () => {
        if (refusal === null) await this.#lookAt(watch);
        return refusal;
      },
      stop: () => {
        watch.users.delete(end);
        if (watch.users.size === 0 && this.#watches.get(key) === watch) this.#watches.delete(key);
      },
    };
  }

  /** One after the other, so that many callers do not hold up everything else. */
  async #lookAtAll(): Promise<void> {
    for (const watch of [...this.#watches.values()]) if (watch.users.size > 0) await this.#lookAt(watch);
    this.#timer = null;
    if (this.#watches.size === 0) return;
    this.#timer = setTimeout(() => void this.#lookAtAll(), this.parts.limits.callerRecheckMs).unref();
  }

  /** Where it cannot be found out, such as while the database cannot be read, the caller stays who it was. */
  async #lookAt({ credentials, caller, users }: Watch): Promise<void> {
    const { host, logger } = this.parts;
    try {
      const known = await host.identify(credentials);
      if (known.ok && callerOf(known.value) === caller) return;
      const { refusal } = known.ok
        ? refused('unauthorized', 'The credentials are those of another now.')
        : known;
      for (const end of [...users]) end(refusal);
    } catch (error) {
      logger.warn({ err: error }, 'it cannot be told whether a caller may go on');
    }
  }
}
