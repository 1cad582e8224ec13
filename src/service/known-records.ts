// The records by which a request is admitted: sessions with the terms of their work, runs, and the trees of sessions.
// They come from the store's memory if it has them. Decisions use only loaded records.
import type { Completion, Run, Session, Tree } from '../domain/records/records.js';
import type { WriterTerms } from '../domain/states/write.js';
import type { SessionAggregate } from '../domain/transactions/loaded-records.js';
import { after, type MaybePromise } from '../lib/maybe-promise.js';
import type { KnownRecords as Known, Store } from '../ports/storage/store.js';

interface Source {
  readonly known: Known;
  readonly isSoleCoordinator: boolean;
  readonly read: Pick<Store['read'], 'session' | 'run' | 'tree' | 'completion'>;
}

/** Reads again what is damaged, once it is set aside. */
interface Repairs {
  repairing<T>(rootSessionId: string | undefined, work: () => Promise<T>): Promise<T>;
}

export class KnownRecords {
  constructor(
    private readonly store: Source,
    private readonly repairs: Repairs,
  ) {}

  /**
   * The session with this id, or else with this name; `null` if there is none. If other coordinators work on the database, one
   * of them may have just given the name to another session, so a name is looked up.
   */
  session(idOrName: string): MaybePromise<Session | null> {
    const known = this.store.known.session(idOrName)?.session;
    const isSure = known !== undefined && (known.sessionId === idOrName || this.store.isSoleCoordinator);
    return isSure ? known : this.#read((read) => read.session(idOrName));
  }

  /** A run of a session, ended or not; `null` if there is none. */
  run(sessionId: string, runId: string): MaybePromise<Run | null> {
    const run = this.#aggregate(sessionId)?.runs.find((one) => one.runId === runId);
    return run ?? this.#read((read) => read.run(runId));
  }

  /** The tree of a root session. */
  tree(rootSessionId: string): MaybePromise<Tree | null> {
    return this.store.known.tree(rootSessionId) ?? this.#read((read) => read.tree(rootSessionId));
  }

  /** A session's present completion; `null` if it has none. */
  completion(sessionId: string): MaybePromise<Completion | null> {
    const aggregate = this.#aggregate(sessionId);
    const present = aggregate?.completions.find((one) => one.generation === aggregate.session.generation);
    return present ?? this.store.read.completion(sessionId);
  }

  /**
   * The terms of a session's present completion; `null` if it has none, or without a session. Writes ask for them while
   * they hold the lock of the tree, in which nothing can be set aside.
   */
  terms(sessionId: string | null): MaybePromise<WriterTerms | null> {
    return sessionId === null ? null : after(this.completion(sessionId), termsOf);
  }

  #read<T>(read: (from: Source['read']) => Promise<T>): Promise<T> {
    return this.repairs.repairing(undefined, () => read(this.store.read));
  }

  /** A session may have the id of another one as its name. */
  #aggregate(sessionId: string): SessionAggregate | undefined {
    const found = this.store.known.session(sessionId);
    return found?.session.sessionId === sessionId ? found : undefined;
  }
}

function termsOf(completion: Completion | null): WriterTerms | null {
  return completion === null ? null : { generation: completion.generation, settings: completion.settings };
}
