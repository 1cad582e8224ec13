// Writes and removes the files of single states. A state that cannot be mirrored is tried again later, and keeps no
// other state waiting.
import { ConnectionError } from '../../client/index.js';
import path from 'node:path';
import type { GitHistory } from './git-history.js';
import type { MirrorFolder } from './mirror-folder.js';
import type { MirrorReports } from './reports.js';
import type { MirrorSource, StatePage } from './source.js';
import type { MirroredState } from './texts.js';
import { messageOf } from '../../domain/text.js';

/** After a state could not be mirrored. */
const RETRY_MS = 5_000;
/** Trees that are written at the same time. */
const WRITES_AT_ONCE = 8;

export interface MirrorParts {
  readonly source: MirrorSource;
  readonly folder: MirrorFolder;
  readonly reports: MirrorReports;
  /** Written into every meta file. */
  readonly tags: readonly string[];
  /** Commits what is written; `null` without git. */
  readonly history: GitHistory | null;
}

interface FailedState {
  readonly rootSessionId: string;
  /** When to try again, by `performance.now`. */
  readonly retryAt: number;
}

export class MirrorWriter {
  readonly #failed = new Map<string, FailedState>();

  constructor(private readonly parts: MirrorParts) {}

  /** The root session of a state that is mirrored, or should be; `null` for others. */
  rootOf(stateId: string): string | null {
    const known = this.parts.folder.trees.get(stateId) ?? this.#failed.get(stateId);
    return known?.rootSessionId ?? null;
  }

  /** True if the files of a state could not be written, and are tried again. */
  hasFailed(stateId: string): boolean {
    return this.#failed.has(stateId);
  }

  /** Mirrored states of the scope that the service did not list. */
  unseen(seen: ReadonlySet<string>): readonly string[] {
    const { scope } = this.parts.source;
    return [...this.parts.folder.trees.values()]
      .filter(({ stateId }) => !seen.has(stateId))
      .filter(({ stateId, rootSessionId }) =>
        scope.of === 'state'
          ? scope.stateId === stateId
          : scope.of === 'all' || scope.rootSessionId === rootSessionId,
      )
      .map(({ stateId }) => stateId);
  }

  /** States to write again: those with edited files, and those whose retry is due. */
  async statesToRewrite(): Promise<readonly string[]> {
    const found: string[] = [];
    const now = performance.now();
    for (const [stateId, { retryAt }] of this.#failed) if (retryAt <= now) found.push(stateId);
    for (const [stateId, tree] of this.parts.folder.trees) {
      if (!this.#failed.has(stateId) && !(await tree.isUntouched())) found.push(stateId);
    }
    return found;
  }

  async writeAll({ states, damaged }: StatePage): Promise<void> {
    for (const { stateId, rootSessionId, detail } of damaged) this.#fails(stateId, rootSessionId, detail);
    for (let at = 0; at < states.length; at += WRITES_AT_ONCE) {
      const writes = states.slice(at, at + WRITES_AT_ONCE).map((state) => this.#write(state));
      for (const write of await Promise.allSettled(writes))
        if (write.status === 'rejected') throw write.reason;
    }
  }

  /** @returns False if the files could not be removed. */
  async remove(stateId: string): Promise<boolean> {
    const { folder, reports, history } = this.parts;
    const rootSessionId = this.rootOf(stateId) ?? '';
    try {
      const name = await folder.remove(stateId);
      if (name !== null) {
        reports.emit({ event: 'removed', state_id: stateId, folder: name });
        history?.removed(stateId, path.basename(name));
      }
      this.#failed.delete(stateId);
      reports.forget(stateId);
      return true;
    } catch (error) {
      this.#fails(stateId, rootSessionId, messageOf(error));
      return false;
    }
  }

  async #write(state: MirroredState): Promise<void> {
    const { source, folder, reports, tags, history } = this.parts;
    const { state_id, version } = state;
    try {
      const tree = await folder.treeOf(state);
      const { changed, edited } = await tree.write(state, tags, (one) => source.documentAt(state_id, one));
      for (const name of edited) reports.note(`${tree.folder.path}/${name} was edited; it is overwritten`);
      if (changed) reports.emit({ event: 'written', state_id, version, folder: tree.folder.path });
      const name = path.basename(tree.folder.path);
      history?.written({ stateId: state_id, rootName: state.root_session_name, folder: name, version });
      if (this.#failed.delete(state_id)) reports.solved(state_id);
    } catch (error) {
      if (error instanceof ConnectionError) throw error;
      this.#fails(state_id, state.root_session_id, messageOf(error));
    }
  }

  #fails(stateId: string, rootSessionId: string, text: string): void {
    this.#failed.set(stateId, { rootSessionId, retryAt: performance.now() + RETRY_MS });
    this.parts.reports.problem(stateId, text);
  }
}
