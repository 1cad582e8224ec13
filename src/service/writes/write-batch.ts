// One batch of writes to a state. Prepares them in order, each on the document that the one before left, and
// accepts or refuses each on its own. The decision that commits them is the caller's.
import type { UnitOfWork } from '../../domain/transactions/unit-of-work.js';
import { ok, type Result, type Violation } from '../../domain/errors.js';
import type { LoadRequest } from '../../domain/transactions/loaded-records.js';
import type { JsonObject } from '../../domain/json/json.js';
import { loadReceipt, receiptOf } from '../../domain/transactions/idempotency.js';
import type { Completion } from '../../domain/records/records.js';
import { sizeWarnings } from '../../domain/states/size.js';
import { commitWrites, headAt, type WriterTerms, type Written } from '../../domain/states/write.js';
import type { DocumentView } from '../../domain/transactions/decision-context.js';
import { declaresWorkflow } from '../../domain/workflow/workflow.js';
import type { TimeSlices } from '../../lib/time-slices.js';
import type { MaybePromise } from '../../lib/maybe-promise.js';
import type { Store } from '../../ports/storage/store.js';
import type { Documents } from '../documents/documents.js';
import { documentView } from '../documents/document-view.js';
import type { ArchivedInvocations } from '../documents/archived-invocations.js';
import { compactionBehind, type CompactionParts } from './compaction.js';
import type { KeyConditions } from '../../domain/keys/conditions.js';
import { checkConditions, KeysWritten } from './key-conditions.js';
import { wouldBe } from './dry-run.js';
import { failureOf, violationsOf } from './document-checks.js';
import type { KeyVersions } from '../documents/key-versions.js';
import { prepareWrite, type Applied, type Base } from './prepare-write.js';
import { isMerged } from './merge-write.js';
import type { SchemaCache } from '../schemas/schema-cache.js';
import type { Before } from './state-before.js';
import type { Step, Waiting } from './write-step.js';
import { earlierWrite, storedWrite } from './write-receipts.js';
import { repeatedWrite } from './repeated-write.js';
import type { KnownRecords } from '../known-records.js';

export interface BatchParts extends CompactionParts {
  readonly store: Store;
  readonly documents: Documents;
  readonly schemas: SchemaCache;
  readonly keyVersions: KeyVersions;
  readonly archived: ArchivedInvocations;
  readonly known: KnownRecords;
  readonly slices: TimeSlices;
}

/** Bound of the documents and patches in one batch, unless a single write is larger. In characters. */
const CHARACTERS_MAX = 4 * 1024 * 1024;

const HOLDS: readonly Violation[] = [];

export class WriteBatch {
  readonly #parts: BatchParts;
  readonly #before: Before;
  readonly #steps: Step[] = [];
  readonly #keys = new KeysWritten();
  #document: JsonObject;
  /** The version after the writes so far. */
  #version: number;
  #preparedCount = 0;
  #characters = 0;

  constructor(parts: BatchParts, before: Before) {
    this.#parts = parts;
    this.#before = before;
    this.#document = before.document;
    this.#version = before.head.version;
  }

  /** True if there is something to commit. */
  get commits(): boolean {
    return this.#steps.some(
      ({ write, failure, repeat, receipt }) => (write ?? failure ?? repeat ?? receipt) !== undefined,
    );
  }

  /** The length of the documents and patches to commit, in characters. */
  get characters(): number {
    return this.#characters;
  }

  /** The number of prepared writes: the whole queue, unless it exceeds the bound of a batch. */
  get preparedCount(): number {
    return this.#preparedCount;
  }

  /** Prepares the writes in order. Synchronous if nothing has to be read. */
  prepare(queue: readonly Waiting[], from = 0): MaybePromise<this> {
    for (let at = from; at < queue.length; at += 1) {
      if (this.#characters > CHARACTERS_MAX) return this;
      const waiting = queue[at];
      const step = waiting === undefined ? undefined : this.#prepareNext(waiting);
      this.#preparedCount = at + 1;
      const pause = step ?? (at + 1 < queue.length ? this.#parts.slices.yieldIfDue() : undefined);
      if (pause !== undefined) return pause.then(() => this.prepare(queue, at + 1));
    }
    return this;
  }

  /** Adds the records that the decision about the batch needs. */
  addLoads(loads: LoadRequest[]): void {
    loads.push({ load: 'state', stateId: this.#before.head.stateId });
    // Several writes of one session often follow each other. A duplicate request does no harm.
    let last: string | null = null;
    const add = (sessionId: string) => {
      if (sessionId !== last) loads.push({ load: 'aggregate', sessionId });
      last = sessionId;
    };
    const { isSoleCoordinator } = this.#parts.store;
    for (const { write, once } of this.#steps) {
      // Only another coordinator can have carried the request out since the preparation.
      if (once !== undefined && !isSoleCoordinator) loads.push(loadReceipt(once));
      if (write === undefined) continue;
      if (write.writer.sessionId !== null) add(write.writer.sessionId);
      for (const one of write.contractChanges ?? []) add(one.sessionId);
    }
  }

  get stateId(): string {
    return this.#before.head.stateId;
  }

  /** The state as the writes leave it. */
  viewAfter(): DocumentView {
    const { schema } = this.#before;
    const head = { stateId: this.stateId, version: this.#version };
    return documentView(this.#parts.texts, head, this.#document, schema);
  }

  /** The contract of the last writer holds, if its write says so; `undefined` says nothing. */
  resultOf({ sessionId, generation }: Completion): readonly Violation[] | undefined {
    const last = this.#steps.findLast(({ write }) => write !== undefined)?.write;
    const isOwn = last?.writer.sessionId === sessionId && last.terms?.generation === generation;
    return isOwn && last.contractViolations.length === 0 ? HOLDS : undefined;
  }

  /**
   * The rule of the decision: versions for the writes, and idempotency records for those with an idempotency key.
   *
   * @param releases - False to leave the completions of the tree to later decisions. Those of a tree with a workflow
   *   record are left in any case: a release adds an entry to the record.
   */
  commit(unit: UnitOfWork, releases: boolean): Result<Written> {
    const { head, schema, open } = this.#before;
    if (!releases || declaresWorkflow(schema.jsonSchema)) unit.touched.leaveCompletionsOf(head.rootSessionId);
    // Another coordinator has decided about the tree's completions since the preparation.
    if (this.#parts.openContracts.cached(head.rootSessionId) !== open) unit.stale();
    const { receipts } = unit.records;
    if (this.#steps.some(({ once }) => once !== undefined && receipts.has(once.receiptId))) unit.stale();
    const written = commitWrites(unit, head.stateId, head, this.#steps);
    if (!written.ok) return written;
    for (const { receipt } of this.#steps) {
      if (receipt !== undefined) unit.append('receipt', receipt(written.value, unit.now));
    }
    return written;
  }

  /**
   * Answers all callers.
   *
   * @param written - The committed decision; `null` if there was nothing to commit.
   */
  answer(written: Result<Written> | null): void {
    const { head } = this.#before;
    const result = written ?? ok({ head, events: [] });
    if (written?.ok === true) this.#parts.documents.cache(written.value.head, this.#document);
    for (const step of this.#steps) step.answer(result);
  }

  /** An error of one write rejects only that write. */
  #prepareNext(waiting: Waiting): Promise<void> | undefined {
    const broken = (error: unknown) => void this.#steps.push({ answer: () => waiting.reject(error) });
    try {
      const { once, writer } = waiting.command;
      if (once !== undefined || writer.sessionId !== null) {
        return this.#replayOrApply(waiting).catch(broken);
      }
      return this.#apply(waiting, null)?.catch(broken);
    } catch (error) {
      broken(error);
      return undefined;
    }
  }

  /** Applies a write that is possibly a repetition, or that comes from a session. */
  async #replayOrApply(waiting: Waiting): Promise<void> {
    const { once, writer } = waiting.command;
    const before = once === undefined ? null : await earlierWrite(this.#parts, once);
    if (before === null) await this.#apply(waiting, await this.#parts.known.terms(writer.sessionId));
    else this.#steps.push({ answer: () => waiting.resolve(before) });
  }

  /** What the next write is applied to. */
  #base(): Base {
    const { head, schema, open } = this.#before;
    return {
      version: this.#version,
      rootSessionId: head.rootSessionId,
      document: this.#document,
      schema: { hash: schema.hash, schema: schema.jsonSchema },
      lenient: head.lenient,
      keysFor: (conditions: KeyConditions) => this.#checkKeys(conditions),
      archived: (id: string) => this.#archived(id),
      open,
    };
  }

  #apply(waiting: Waiting, terms: WriterTerms | null): Promise<void> | undefined {
    const applied = prepareWrite(this.#parts, this.#base(), waiting.command, terms);
    return applied instanceof Promise
      ? applied.then((found) => this.#addStep(waiting, found, terms))
      : this.#addStep(waiting, applied, terms);
  }

  #archived(id: string) {
    const pending = this.#steps.flatMap(({ write }) => write?.archive ?? []);
    return this.#parts.archived.find(this.#before.head.stateId, this.#document, id, pending);
  }

  /** Checks the key conditions of the next write. */
  #checkKeys(conditions: KeyConditions) {
    const { head, document: stored } = this.#before;
    const written = {
      head,
      stored,
      steps: this.#steps,
      version: this.#version,
      document: this.#document,
      keys: this.#keys,
    };
    return checkConditions(this.#parts.keyVersions, written, conditions);
  }

  /** Adds a step to the batch: a refused write, a dry run, a write without a change, or a new version. */
  #addStep(waiting: Waiting, found: Result<Applied>, terms: WriterTerms | null): Promise<void> | undefined {
    const { writer, options, once, merging, entryId } = waiting.command;
    const dryRun = options.dryRun === true;
    if (!found.ok) {
      const failure = dryRun ? undefined : failureOf(writer, violationsOf(found));
      this.#steps.push({ failure, answer: () => waiting.resolve(found) });
      return undefined;
    }
    const { prepared, document, stillWrong } = found.value;
    const near = sizeWarnings(this.#parts.texts.bytes(document), this.#parts.limits);
    const warnings = near.length === 0 ? found.value.warnings : [...found.value.warnings, ...near];
    if (dryRun) {
      const would = wouldBe(this.#before, { ...found.value, warnings }, this.#version);
      this.#steps.push({ answer: () => waiting.resolve(would) });
      return undefined;
    }
    const before = this.#document;
    this.#advance(found.value);
    const { head: stored, schema } = this.#before;
    const commits = this.#version - stored.version;
    const changed = prepared !== null;
    const headOf = (written: Written) => headAt(commits, written, stored);
    const merged = once === undefined || merging?.ok !== true ? undefined : isMerged(document, merging.value);
    const outcome = { changed, warnings, merged, entryId };
    const step: Step = {
      write: prepared ?? undefined,
      once,
      receipt:
        once && ((written, now) => receiptOf(once, storedWrite({ head: headOf(written), ...outcome }), now)),
      answer: (result) =>
        waiting.resolve(
          result.ok ? ok({ head: headOf(result.value), schema, document, before, ...outcome }) : result,
        ),
    };
    if (changed) {
      this.#steps.push(step);
      return this.#compact(before);
    }
    if (stillWrong === undefined) this.#steps.push(step);
    else if (stillWrong.length > 0) this.#steps.push({ ...step, failure: failureOf(writer, stillWrong) });
    else this.#steps.push({ ...step, repeat: repeatedWrite(writer, terms, document) });
    return undefined;
  }

  #advance({ document, prepared }: Applied): void {
    this.#document = document;
    if (prepared === null) return;
    this.#version += 1;
    this.#characters += prepared.patchText.length + prepared.text.length;
  }

  #compact(before: JsonObject): Promise<void> | undefined {
    const compaction = compactionBehind(this.#parts, this.#before.head.stateId, before, this.#base());
    return compaction?.then((applied) => {
      if (!applied?.prepared) return;
      this.#advance(applied);
      this.#steps.push({ write: applied.prepared, answer: () => undefined });
    });
  }
}
