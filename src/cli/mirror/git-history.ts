// Commits each version of mirrored states. Resumes after the version in the last commit, whatever is on disk.
import { sleep } from '../../lib/backoff.js';
import { ConnectionError } from '../../client/index.js';
import { removalMessage, MIRROR_AUTHOR, type MirrorCommit } from './commit-text.js';
import { GitError, type GitHead, type GitRepository } from './git.js';
import type { MirrorReports } from './reports.js';
import { parseEditedMeta, type MirrorMeta } from './texts.js';
import { DOCUMENT_FILE, META_FILE } from './tree-folder.js';
import { HistoryError, type CommittedState, type VersionPage, type VersionReader } from './version-reader.js';

/** Work waits this long after a failure of git. */
const RETRY_MS = 5_000;
/** After the mirror has ended, the commits that are left have this time; the next start makes the others. */
const FINISH_MS = 3_000;
const COMMITS_PER_TIDY = 1_000;

const GIT = 'git';
const FILES = [DOCUMENT_FILE, META_FILE];

/** A state that was deleted. */
interface RemovedState {
  readonly stateId: string;
  readonly folder: string;
}

/** What the last commit has of a state. */
type Committed = Pick<MirrorMeta, 'state_id' | 'version'>;

export interface GitHistoryParts {
  readonly repository: GitRepository;
  readonly reader: VersionReader;
  readonly reports: MirrorReports;
}

export class GitHistory {
  /** What is to commit, by state. */
  readonly #queue = new Map<string, CommittedState | RemovedState>();
  /** What the last commit of the branch has, by folder. */
  #committed = new Map<string, Committed | null>();
  #head: GitHead | null = null;
  /** Files whose index entries are behind the last commit. */
  #toReset = new Set<string>();
  #sinceTidy = 0;
  #wake: () => void = () => undefined;

  constructor(private readonly parts: GitHistoryParts) {}

  /** The meta files of the last commit, by folder: also of folders that are gone. */
  async committedMetas(): Promise<ReadonlyMap<string, string>> {
    const { repository } = this.parts;
    return repository.filesNamed(META_FILE, await repository.head());
  }

  /** The files of a state are at a version. */
  written(state: CommittedState): void {
    const known = this.#committed.get(state.folder);
    if (known?.state_id === state.stateId && known.version === state.version) return;
    this.#queue.set(state.stateId, state);
    this.#wake();
  }

  /** The files of a state were removed. */
  removed(stateId: string, folder: string): void {
    this.#queue.set(stateId, { stateId, folder });
    this.#wake();
  }

  /** Commits until the signal aborts, and then what is left, for a bounded time. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (await this.#commitQueue(() => signal.aborted)) await this.#waitForWork(signal);
      else await sleep(RETRY_MS, signal);
    }
    const deadline = performance.now() + FINISH_MS;
    await this.#commitQueue(() => performance.now() > deadline);
  }

  /** @returns False if something has to be tried again. */
  async #commitQueue(isOver: () => boolean): Promise<boolean> {
    const { reports } = this.parts;
    try {
      await this.#refresh();
      for (const [stateId, state] of this.#queue) {
        if (isOver()) return true;
        await this.#commitOrReport(state);
        // Unless there was a newer version meanwhile.
        if (this.#queue.get(stateId) === state) this.#queue.delete(stateId);
      }
      reports.solved(GIT);
      return true;
    } catch (error) {
      const isPassing = error instanceof ConnectionError || error instanceof HistoryError;
      if (error instanceof GitError) reports.problem(GIT, error.message);
      else if (!isPassing) throw error;
      return false;
    }
  }

  /** A history that cannot be read keeps no other one waiting. */
  async #commitOrReport(state: CommittedState | RemovedState): Promise<void> {
    try {
      await this.#commit(state);
    } catch (error) {
      if (!(error instanceof HistoryError) || error.isRetryable) throw error;
      this.parts.reports.problem(`history of ${state.stateId}`, error.message);
    }
  }

  async #commit(state: CommittedState | RemovedState): Promise<void> {
    await this.#refresh();
    if (!('version' in state)) {
      await this.#commitRemoval(state.stateId, state.folder);
      return;
    }
    const { reader, reports } = this.parts;
    for (;;) {
      const last = this.#committed.get(state.folder);
      const since = last?.state_id === state.stateId ? last.version : 0;
      if (since === state.version) return;
      const page = await reader.versions(state, since);
      if (page === null) return; // deleted meanwhile: the removal follows
      for (const text of page.skipped) reports.problem(`history of ${state.stateId}`, text);
      await this.#add(state, page);
      if (page.isLast) return;
      await this.#refresh();
    }
  }

  async #add({ stateId, folder }: CommittedState, { commits, version }: VersionPage): Promise<void> {
    const after = { state_id: stateId, version };
    if (commits.length === 0) {
      this.#committed.set(folder, after);
      return;
    }
    await this.#import(folder, commits, after);
    this.parts.reports.emit({ event: 'committed', state_id: stateId, version });
  }

  async #commitRemoval(stateId: string, folder: string): Promise<void> {
    const last = this.#committed.get(folder);
    // Another state may have got the folder since.
    if (last?.state_id !== stateId) return;
    const files = FILES.map((name) => ({ name, text: null }));
    const message = removalMessage(stateId, folder);
    await this.#import(folder, [{ folder, author: MIRROR_AUTHOR, at: Date.now(), message, files }], null);
    this.parts.reports.emit({ event: 'committed', state_id: stateId, version: null });
  }

  /** @param after - What the folder has after these commits. */
  async #import(folder: string, commits: readonly MirrorCommit[], after: Committed | null): Promise<void> {
    const { repository } = this.parts;
    if (this.#head === null) throw new GitError('the branch is not known');
    await repository.commit(this.#head, commits);
    this.#committed.set(folder, after);
    for (const name of FILES) this.#toReset.add(`${folder}/${name}`);
    this.#head = await repository.head();
    await this.#resetIndex();
    this.#sinceTidy += commits.length;
    if (this.#sinceTidy < COMMITS_PER_TIDY) return;
    this.#sinceTidy = 0;
    await repository.tidy();
  }

  /** Reads what the branch has: at the start, and after commits of others. */
  async #refresh(): Promise<void> {
    const { repository } = this.parts;
    const head = await repository.head();
    if (head.branch !== this.#head?.branch || head.commit !== this.#head.commit) {
      const metas = await repository.filesNamed(META_FILE, head);
      this.#committed = new Map([...metas].map(([folder, text]) => [folder, parseEditedMeta(text)]));
      this.#head = head;
      // An earlier mirror may have ended between its commit and the index.
      for (const file of await repository.filesOffIndex(FILES)) this.#toReset.add(file);
    }
    await this.#resetIndex();
  }

  async #resetIndex(): Promise<void> {
    if (this.#toReset.size === 0) return;
    await this.parts.repository.resetIndex([...this.#toReset]);
    this.#toReset.clear();
  }

  async #waitForWork(signal: AbortSignal): Promise<void> {
    if (this.#queue.size > 0) return;
    const added = new AbortController();
    this.#wake = () => added.abort();
    await sleep(Infinity, signal, added.signal);
  }
}
