// Prepares the entries of a tree's workflow record that a decision writes with its own changes. For one decision.
import { RecordDamagedError } from '../../domain/damage/damage.js';
import type { JsonObject } from '../../domain/json/json.js';
import type { StateHead, WorkflowSchema } from '../../domain/records/records.js';
import type { DocumentView } from '../../domain/transactions/decision-context.js';
import { compactionOf } from '../../domain/workflow/archive.js';
import type { WorkflowCommand } from '../../domain/workflow/commands.js';
import type { RecordingInputs, WorkEntry } from '../../domain/states/record-work.js';
import { declaresWorkflow } from '../../domain/workflow/workflow.js';
import { OPERATOR, type PreparedWrite } from '../../domain/states/write.js';
import type { MaybePromise } from '../../lib/maybe-promise.js';
import type { Clock, IdSource, Logger } from '../../ports/runtime.js';
import type { Documents } from '../documents/documents.js';
import { time } from '../views.js';
import type { ArchivedInvocations } from '../documents/archived-invocations.js';
import { prepareWrite, type PrepareWriteParts } from '../writes/prepare-write.js';

interface WorkRecorderParts extends PrepareWriteParts {
  readonly schemas: {
    cached(schemaId: string): WorkflowSchema | undefined;
    byId(schemaId: string): Promise<WorkflowSchema | null>;
  };
  readonly documents: Pick<Documents, 'cache'>;
  readonly archived: ArchivedInvocations;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly logger: Logger;
}

interface Prepared {
  readonly writes: readonly PreparedWrite[];
  /** After them. */
  readonly version: number;
  readonly document: JsonObject;
}

export class WorkRecorder implements RecordingInputs {
  /** The same for all entries, however often the decision is made. */
  readonly #at: string;
  #missing: string | null = null;
  /** True if the schema of the state cannot be read. The inputs of the decision name the damage. */
  #damaged = false;
  readonly #known = new Map<string, MaybePromise<Prepared>>();
  /** What the decision writes, when it was made last. */
  #last: Prepared | null = null;
  #head: StateHead | null = null;

  constructor(private readonly parts: WorkRecorderParts) {
    this.#at = time(parts.clock.now());
  }

  readonly isWorkflow = ({ schemaId }: StateHead): boolean | undefined => {
    const schema = this.parts.schemas.cached(schemaId);
    if (schema !== undefined) return declaresWorkflow(schema.jsonSchema);
    if (this.#damaged) return false;
    this.#missing = schemaId;
    return undefined;
  };

  readonly writesOf = (
    { lenient, rootSessionId }: StateHead,
    view: DocumentView,
    entries: readonly WorkEntry[],
  ): readonly PreparedWrite[] | undefined => {
    const key = `${view.stateId}@${String(view.version)} ${JSON.stringify(entries)}`;
    const known = this.#known.get(key) ?? this.#prepare(view, { lenient, rootSessionId }, entries);
    this.#known.set(key, known);
    if (!(known instanceof Promise)) return (this.#last = known).writes;
    // `prepare` reports the error.
    known.catch(() => undefined);
    return undefined;
  };

  readonly written = (head: StateHead): void => {
    this.#head = head;
  };

  /** Loads and prepares what the decision asked for. */
  async prepare(): Promise<void> {
    if (this.#missing !== null) await this.#load(this.#missing);
    this.#missing = null;
    for (const [key, writes] of this.#known) this.#known.set(key, await writes);
  }

  async #load(schemaId: string): Promise<void> {
    try {
      this.#damaged = (await this.parts.schemas.byId(schemaId)) === null;
    } catch (error) {
      if (!(error instanceof RecordDamagedError)) throw error;
      this.#damaged = true;
    }
  }

  /** Call when the decision is on disk. Then the newest document is known without reading it. */
  committed(): void {
    if (this.#last === null || this.#head?.version !== this.#last.version) return;
    this.parts.documents.cache(this.#head, this.#last.document);
  }

  async #prepare(
    { stateId, version, document, schema, schemaHash }: DocumentView,
    of: Pick<StateHead, 'lenient' | 'rootSessionId'>,
    entries: readonly WorkEntry[],
  ): Promise<Prepared> {
    const base = { schema: { hash: schemaHash, schema }, ...of };
    const writes: PreparedWrite[] = [];
    let present = { version, document };
    const archived = (id: string) => this.parts.archived.find(stateId, present.document, id);
    const add = async (payload: WorkflowCommand) => {
      const command = { form: 'workflow' as const, payload, options: {}, writer: OPERATOR };
      const applied = await prepareWrite(this.parts, { ...base, ...present, archived }, command, null);
      if (!applied.ok) {
        const { error, detail } = applied.failure;
        // An agent has recorded the start itself, with other words.
        if (error === 'workflow_entry_exists') return;
        this.parts.logger.warn(
          { state: stateId, error, detail },
          'an entry of a workflow record could not be written',
        );
      } else if (applied.value.prepared !== null) {
        writes.push(applied.value.prepared);
        present = { version: present.version + 1, document: applied.value.document };
      }
    };
    for (const entry of entries) await add({ ...entry, at: this.#at });
    const compaction = compactionOf(document, present.document, schema, this.parts);
    if (compaction !== null) await add(compaction);
    return { writes, ...present };
  }
}
