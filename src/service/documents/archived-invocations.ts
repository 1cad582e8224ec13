// Finds invocations that workflow records have moved to archives. Remembers which ids an archive holds, and reads only the
// one that holds the id in question.
import { LRUCache } from 'lru-cache';
import { RecordDamagedError } from '../../domain/damage/damage.js';
import type { JsonObject, JsonValue } from '../../domain/json/json.js';
import { textMember } from '../../domain/json/members.js';
import type { Limits } from '../../domain/limits.js';
import type { WorkflowArchive } from '../../domain/records/records.js';
import { keptArchives, soughtInArchives, type NewArchive } from '../../domain/workflow/archive.js';
import { commandFrom } from '../../domain/workflow/commands.js';
import { after, type MaybePromise } from '../../lib/maybe-promise.js';
import type { Clock } from '../../ports/runtime.js';
import type { Store } from '../../ports/storage/store.js';

interface ArchivedInvocationsParts {
  readonly store: Pick<Store, 'read'>;
  readonly clock: Clock;
  readonly limits: Pick<Limits, 'workflowArchivesKeptMs'>;
}

/** Bound of the remembered ids: about 100,000 invocations. */
const IDS_BYTES_MAX = 16 * 1024 * 1024;

/** About what an id takes in memory beside its characters. */
const ID_BYTES = 96;

export class ArchivedInvocations {
  /** By state and archive, because a record may name any. An archive never changes. */
  readonly #ids = new LRUCache<string, ReadonlySet<string>>({
    maxSize: IDS_BYTES_MAX,
    sizeCalculation: (ids) => [...ids].reduce((sum, id) => sum + 2 * id.length + ID_BYTES, ID_BYTES),
  });

  constructor(private readonly parts: ArchivedInvocationsParts) {}

  /** The estimated memory of what is cached. */
  get bytes(): number {
    return this.#ids.calculatedSize;
  }

  /**
   * @param document - Names the archives.
   * @param pending - Archives that are not written yet.
   * @returns `undefined` if no archive has it that is kept and can be read.
   */
  find(
    stateId: string,
    document: JsonObject,
    id: string,
    pending: readonly NewArchive[] = [],
  ): MaybePromise<JsonObject | undefined> {
    const found = pending.map((archive) => invocationIn(archive, id)).find((one) => one !== undefined);
    if (found !== undefined) return found;
    const { clock, limits } = this.parts;
    const isPending = new Set(pending.map(({ archiveId }) => archiveId));
    const possible = keptArchives(document, clock.now(), limits).filter(
      (archiveId) => !isPending.has(archiveId) && (this.#ids.get(keyOf(stateId, archiveId))?.has(id) ?? true),
    );
    return possible.length === 0 ? undefined : this.#read(stateId, possible, id);
  }

  async #read(stateId: string, archiveIds: readonly string[], id: string): Promise<JsonObject | undefined> {
    for (const archiveId of archiveIds) {
      const archive = await this.#archive(archiveId);
      if (archive?.stateId !== stateId) continue;
      const ids = archive.invocations.flatMap((one) => textMember(one, 'invocation_id') ?? []);
      this.#ids.set(keyOf(stateId, archiveId), new Set(ids));
      const found = invocationIn(archive, id);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** A damaged archive must not block what an agent records. Reading it names the damage. */
  async #archive(archiveId: string): Promise<WorkflowArchive | null> {
    try {
      return await this.parts.store.read.archive(archiveId);
    } catch (error) {
      if (error instanceof RecordDamagedError) return null;
      throw error;
    }
  }
}

/** A document, and the look-up of invocations in the archives that it names. */
interface WithArchives {
  readonly document: JsonObject;
  readonly archived?: (id: string) => MaybePromise<JsonObject | undefined>;
}

/** A command for a workflow record, with the invocation that it names if that is in an archive. */
export function withArchived(
  { document, archived }: WithArchives,
  payload: JsonValue,
): MaybePromise<JsonValue> {
  const command = commandFrom(payload);
  const id = soughtInArchives(document, command);
  if (id === null) return payload;
  return after(archived?.(id), (found) => (found === undefined ? payload : { ...command, archived: found }));
}

function keyOf(stateId: string, archiveId: string): string {
  return `${stateId} ${archiveId}`;
}

function invocationIn({ invocations }: Pick<NewArchive, 'invocations'>, id: string): JsonObject | undefined {
  return invocations.find((one) => one['invocation_id'] === id);
}
