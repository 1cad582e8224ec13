// Reads the versions of a state as commits: each with its document, its author, and what changed.
import { ERRORS, type Failure, type Result } from '../../domain/errors.js';
import type { EventView, EventList } from '../../ports/api/index.js';
import type { Countersign } from '../../ports/service.js';
import { commitMessage, type CommitAuthor, type MirrorCommit } from './commit-text.js';
import { documentText, metaOf, metaText } from './texts.js';
import { DOCUMENT_FILE, META_FILE } from './tree-folder.js';

const VERSIONS_PER_PAGE = 50;
/** Documents that one page holds, as text. */
const PAGE_CHARACTERS_MAX = 8 * 1024 * 1024;
const READS_AT_ONCE = 8;
const SESSIONS_KEPT = 1_000;

/** A state whose versions are committed into a folder. */
export interface CommittedState {
  readonly stateId: string;
  readonly rootName: string;
  /** Name of the folder, below that of the mirror. */
  readonly folder: string;
  /** The newest version that is known. */
  readonly version: number;
}

/** Some versions, oldest first. */
export interface VersionPage {
  readonly commits: readonly MirrorCommit[];
  /** The newest version of the page, also if it cannot be read. */
  readonly version: number;
  readonly isLast: boolean;
  /** Why versions are left out; empty if none is. */
  readonly skipped: readonly string[];
}

/** The service cannot give a history. `isPassing` if it may later. */
export class HistoryError extends Error {
  override readonly name = 'HistoryError';
  readonly isRetryable: boolean;

  constructor({ error, detail }: Failure) {
    super(detail);
    this.isRetryable = ERRORS[error].retryable;
  }
}

interface EventPage {
  readonly list: EventList;
  readonly missing: readonly [first: number, last: number] | null;
}

export class VersionReader {
  readonly #names = new Map<string, string>();

  constructor(
    private readonly client: Countersign,
    private readonly tags: readonly string[],
  ) {}

  /**
   * The versions after one, up to the known one; 0 for all that are kept.
   *
   * @returns `null` if the state is gone.
   * @throws HistoryError If the history cannot be read.
   */
  async versions(state: CommittedState, since: number): Promise<VersionPage | null> {
    const page = await this.#events(state, since);
    if (!page.ok) {
      if (page.failure.error === 'state_not_found') return null;
      throw new HistoryError(page.failure);
    }
    const { list, missing } = page.value;
    // Newer ones come when their files are written.
    const events = list.events.filter(({ version }) => version <= state.version);
    const commits: MirrorCommit[] = [];
    const skipped: string[] = [];
    let characters = 0;
    let at = 0;
    while (at < events.length && characters < PAGE_CHARACTERS_MAX) {
      const some = events.slice(at, at + READS_AT_ONCE);
      const gap = (event: EventView) => (event === events[0] ? missing : null);
      for (const read of await Promise.all(some.map((event) => this.#commit(state, event, gap(event))))) {
        if (typeof read === 'string') skipped.push(read);
        else {
          commits.push(read);
          for (const { text } of read.files) characters += text?.length ?? 0;
        }
      }
      at += some.length;
    }
    return {
      commits,
      version: events[at - 1]?.version ?? state.version,
      isLast: at === events.length && (!list.has_more || events.length < list.events.length),
      skipped,
    };
  }

  /** Begins at the oldest version that is kept, if those before it are not. */
  async #events({ stateId, version }: CommittedState, since: number): Promise<Result<EventPage>> {
    // A backup was restored: the service is behind what was committed.
    const after = since > version ? version - 1 : since;
    const read = (from: number) =>
      this.client.states.events(stateId, {
        limit: VERSIONS_PER_PAGE,
        ...(from === 0 ? {} : { since: from }),
      });
    const first = await read(after);
    const oldest = first.ok ? null : oldestIn(first.failure);
    const list = oldest === null ? first : await read(oldest - 1);
    if (!list.ok) return list;
    const firstVersion = list.value.events[0]?.version ?? after + 1;
    return {
      ok: true,
      value: { list: list.value, missing: firstVersion > after + 1 ? [after + 1, firstVersion - 1] : null },
    };
  }

  /** @returns Why the version cannot be read. */
  async #commit(
    { stateId, rootName, folder }: CommittedState,
    event: EventView,
    missing: EventPage['missing'],
  ): Promise<MirrorCommit | string> {
    const read = await this.client.states.get(stateId, event.version);
    if (!read.ok) {
      const error = new HistoryError(read.failure);
      if (error.isRetryable) throw error;
      return `version ${String(event.version)} is not committed: ${error.message}`;
    }
    const author = await this.#author(event);
    return {
      folder,
      author,
      at: Date.parse(event.created_at),
      message: commitMessage({ stateId, rootName, event, author, missing }),
      files: [
        { name: DOCUMENT_FILE, text: documentText(read.value.current_data) },
        { name: META_FILE, text: metaText(metaOf(read.value, this.tags)) },
      ],
    };
  }

  async #author({ session_id: id, token_name: token }: EventView): Promise<CommitAuthor> {
    if (id === null) return { name: token ?? 'operator', id: 'operator' };
    const known = this.#names.get(id);
    if (known !== undefined) return { name: known, id };
    const session = await this.client.sessions.get(id);
    const name = session.ok ? session.value.session_name : id;
    if (this.#names.size >= SESSIONS_KEPT) this.#names.clear();
    this.#names.set(id, name);
    return { name, id };
  }
}

function oldestIn({ error, members }: Failure): number | null {
  const oldest = members['oldest_version'];
  return error === 'version_compacted' && typeof oldest === 'number' ? oldest : null;
}
