// Caches the records by which a request is admitted: sessions with the terms of their
// work, runs, and the trees of sessions. Each commit brings them
// up to date. Only for records that are read with every request; what is decided is decided on the stored records.
import { LRUCache } from 'lru-cache';
import type { Completion, Run, Session, Tree } from '../domain/records/records.js';
import type { WriterTerms } from '../domain/states/write.js';
import type { Changeset } from '../domain/transactions/changeset.js';
import type { MaybePromise } from '../ports/maybe-promise.js';
import type { Store } from '../ports/store.js';

type Reads = Pick<Store['read'], 'session' | 'run' | 'tree' | 'completion'>;

/** What is cached of a run: its prompt may be large. */
export type KnownRun = Pick<Run, 'runId' | 'generation' | 'completedAt'>;

/** Estimated memory of the sessions, and of the terms, together. */
const BYTES_MAX = 16 * 1024 * 1024;
const RECORD_BYTES = 1024;

const bytesOf = ({ settings }: Pick<Completion, 'settings'>) =>
  RECORD_BYTES + 2 * JSON.stringify(settings).length;

export class KnownRecords {
  /** By id. */
  readonly #sessions = new LRUCache<string, Session>({ maxSize: BYTES_MAX, sizeCalculation: bytesOf });
  /** The ids of sessions by name. */
  readonly #names: LRUCache<string, string>;
  /** The terms of each session's present completion. */
  readonly #terms = new LRUCache<string, WriterTerms>({ maxSize: BYTES_MAX, sizeCalculation: bytesOf });
  readonly #runs: LRUCache<string, KnownRun>;
  readonly #trees: LRUCache<string, Tree>;
  /** How many commits were heard: what was read before one of them may be out of date after it. */
  #heard = 0;

  /** @param max - Most names, runs and trees. */
  constructor(
    private readonly read: Reads,
    max: number,
  ) {
    this.#names = new LRUCache({ max });
    this.#runs = new LRUCache({ max });
    this.#trees = new LRUCache({ max });
  }

  /** The session with this id, or else with this name; `null` if there is none. */
  session(idOrName: string): MaybePromise<Session | null> {
    const known = this.#sessions.get(idOrName) ?? this.#sessions.get(this.#names.get(idOrName) ?? '');
    return known ?? this.#fetch(this.read.session(idOrName), (session) => this.#keepSession(session));
  }

  run(runId: string): MaybePromise<KnownRun | null> {
    return this.#runs.get(runId) ?? this.#fetch(this.read.run(runId), (run) => this.#keepRun(run));
  }

  /** The tree of a root session. */
  tree(rootSessionId: string): MaybePromise<Tree | null> {
    return (
      this.#trees.get(rootSessionId) ??
      this.#fetch(this.read.tree(rootSessionId), (tree) => this.#keepTree(tree))
    );
  }

  /** The terms of a session's present completion; `null` if it has none. */
  terms(sessionId: string): MaybePromise<WriterTerms | null> {
    return (
      this.#terms.get(sessionId) ??
      this.#fetch(this.read.completion(sessionId), (one) => this.#keepTerms(one))
    );
  }

  /** Brings the cached records up to date after a commit. */
  hear(changes: Changeset): void {
    this.#heard += 1;
    for (const change of changes) {
      if (!('put' in change)) continue;
      if (change.put === 'session') this.#keepSession(change.record);
      else if (change.put === 'run') this.#keepRun(change.record);
      else if (change.put === 'tree') this.#keepTree(change.record);
      else if (change.put === 'completion') this.#keepTerms(change.record);
    }
  }

  #keepSession(session: Session): void {
    const { sessionId, sessionName, deletedAt } = session;
    if (deletedAt === null) {
      this.#sessions.set(sessionId, session);
      this.#names.set(sessionName, sessionId);
      return;
    }
    this.#sessions.delete(sessionId);
    if (this.#names.get(sessionName) === sessionId) this.#names.delete(sessionName);
  }

  #keepRun({ runId, generation, completedAt }: Run): void {
    this.#runs.set(runId, { runId, generation, completedAt });
  }

  #keepTree(tree: Tree): void {
    this.#trees.set(tree.rootSessionId, tree);
  }

  /** Completions of former generations may still change. */
  #keepTerms({ sessionId, generation, settings }: Completion): void {
    if ((this.#terms.get(sessionId)?.generation ?? 0) > generation) return;
    this.#terms.set(sessionId, { generation, settings });
  }

  async #fetch<T>(reading: Promise<T | null>, keep: (record: T) => void): Promise<T | null> {
    const heard = this.#heard;
    const record = await reading;
    if (record !== null && heard === this.#heard) keep(record);
    return record;
  }
}
