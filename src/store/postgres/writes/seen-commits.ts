// What this coordinator has seen of the commits of others: it keeps caches current, and finds out if commits are not known.
import type { Changeset } from '../../../domain/transactions/changeset.js';
import { COMMITS_KEPT, type Committed, type PublishedCommit } from './commits/commit-log.js';
import type { CommitNumbers } from '../commit-numbers.js';
import type { Scopes } from './scopes.js';

/** The parts of what is seen. */
interface SeenCommitsParts {
  readonly scopes: Scopes;
  /** Applies the changes of another coordinator to what is cached. */
  readonly apply: (changes: Changeset) => void;
  /** Called with the changes of another coordinator, those of one tree in the order of its commits. */
  readonly onRemote: (committed: Committed) => void;
}

export class SeenCommits {
  readonly #parts: SeenCommitsParts;
  /** All commits up to this number were seen. */
  #through = 0;
  /** Commits after that number that were seen too, by number and key. */
  readonly #seen = new Map<string, number>();
  /** Commits after that number of which all keys were seen. */
  readonly #complete = new Set<number>();
  /** The server on which that number counts; `null` before the first one. */
  #server: string | null = null;
  /** True if another server has the database since, or this one has another history. */
  #hasSwitched = false;
  /** How often commits of others were found not to be known. */
  #misses = 0;
  /** The number of misses after which everything that was derived from records was read again. */
  #missesHandled = 0;

  constructor(parts: SeenCommitsParts) {
    this.#parts = parts;
  }

  get through(): number {
    return this.#through;
  }

  get server(): string | null {
    return this.#server;
  }

  get misses(): number {
    return this.#misses;
  }

  /** True while commits of others are not known. Whatever was derived from records may be out of date. */
  get isMissing(): boolean {
    return this.#misses > this.#missesHandled;
  }

  /** What was derived from records was read again, after this many misses. */
  handled(misses: number): void {
    this.#missesHandled = misses;
  }

  get hasSwitched(): boolean {
    return this.#hasSwitched;
  }

  /** A statement was answered by this server. */
  meets(server: string): void {
    this.#server ??= server;
    if (this.#server !== server) this.switched();
  }

  /** The newest commits may be gone: a standby that did not have them has taken over. Numbers count anew after `startAt`. */
  switched(): void {
    this.#hasSwitched = true;
    this.miss();
  }

  /** All commits up to a number count as seen, on this server. */
  startAt({ server, through }: Pick<CommitNumbers, 'server' | 'through'>): void {
    if (this.#hasSwitched || this.#server !== server) {
      this.#through = 0;
      this.#seen.clear();
      this.#complete.clear();
    }
    this.#server = server;
    this.#hasSwitched = false;
    this.advance(through);
  }

  /** Commits after that number that need not be read again. */
  get complete(): readonly number[] {
    return [...this.#complete];
  }

  /** @param rows - All that others have committed after that number, but what need not be read again. */
  noteAll(rows: readonly PublishedCommit[]): void {
    this.note(rows);
    for (const { number } of rows) this.#complete.add(Number(number));
  }

  note(rows: readonly PublishedCommit[]): void {
    for (const row of rows) {
      const { key, commits, committed } = row;
      const number = Number(row.number);
      const id = `${String(number)} ${key}`;
      if (number <= this.#through || this.#seen.has(id)) continue;
      this.#seen.set(id, number);
      if (this.#follows(key, Number(commits), committed !== null) && committed !== null)
        this.#parts.apply(committed.changes);
      if (committed !== null) this.#parts.onRemote(committed);
    }
  }

  /** @returns Whether the scope of the key has not seen the commit. */
  #follows(key: string, commits: number, isKnown: boolean): boolean {
    const { scopes } = this.#parts;
    const seen = scopes.get(key)?.commits;
    if (seen !== undefined && seen >= commits) return false;
    if (seen === commits - 1 && isKnown) scopes.reach(key, commits, 'another');
    else {
      if (seen !== undefined || !isKnown) this.#misses += 1;
      scopes.drop(key);
    }
    return true;
  }

  /**
   * The number of the next commit of a key that no transaction in progress holds, if no other coordinator commits before.
   *
   * @param ownMin - How many of its last commits this coordinator has to have made.
   * @returns `undefined` if it is not known.
   */
  next(key: string, ownMin: number): number | undefined {
    const scope = this.isMissing ? undefined : this.#parts.scopes.get(key);
    return scope === undefined || scope.commits - scope.remote < ownMin ? undefined : scope.commits + 1;
  }

  /** A transaction holds the lock of a key, or is to check that it gets it as this commit. All commits before were seen. */
  locked(key: string, commits: number): void {
    const { scopes } = this.#parts;
    const seen = scopes.get(key)?.commits;
    if (seen !== undefined && seen !== commits - 1) this.#miss(key);
    scopes.reach(key, commits, 'this');
  }

  /** The transaction that holds the lock is about to be rolled back without a change. To be called before that is sent. */
  unlocked(key: string, commits: number): void {
    if (this.#parts.scopes.get(key)?.commits === commits) this.#parts.scopes.reach(key, commits - 1, 'this');
  }

  /** A key that the transaction does not hold has this number of commits. A commit of this coordinator may be under way. */
  notLocked(key: string, commits: number): void {
    const { scopes } = this.#parts;
    const seen = scopes.get(key)?.commits;
    if (seen !== undefined && seen >= commits) return;
    if (seen !== undefined) this.#miss(key);
    scopes.reach(key, commits, 'another');
  }

  #miss(key: string): void {
    this.#misses += 1;
    this.#parts.scopes.drop(key);
  }

  /** Nothing that is cached is certainly current. */
  miss(): void {
    this.#misses += 1;
    this.#parts.scopes.clear();
  }

  /** All commits up to a number were read. */
  advance(through: number): void {
    if (through <= this.#through) return;
    this.#through = through;
    for (const [id, number] of this.#seen) if (number <= through) this.#seen.delete(id);
    for (const number of this.#complete) if (number <= through) this.#complete.delete(number);
  }

  /** True if commits that were not seen may have been removed already. */
  isTooFarBehind(newest: number): boolean {
    return newest - this.#through > COMMITS_KEPT;
  }
}
