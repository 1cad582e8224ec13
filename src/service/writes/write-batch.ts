// Writes of one state that wait together, made ready one on top of the other: each is accepted or refused on its own.
// Nothing is written here.
import type { UnitOfWork } from '../../domain/transactions/unit-of-work.js';
import { accepted, type Outcome, type Violation } from '../../domain/errors.js';
import type { LoadRequest } from '../../domain/transactions/loaded-records.js';
import type { JsonObject } from '../../domain/json/json.js';
import type { Limits } from '../../domain/limits.js';
import { receiptOf } from '../../domain/transactions/idempotency.js';
import type { StateHead, WorkflowSchema } from '../../domain/records/records.js';
import { sizeWarnings } from '../../domain/states/size.js';
import {
  commitWrites,
  copyOfHead,
  type FailedWrite,
  type PreparedWrite,
  type Writer,
  type RepeatedWrite,
  type WriterTerms,
  type Written,
} from '../../domain/states/write.js';
import type { SchemaEngine } from '../../ports/schema-engine.js';
import type { Slices } from '../../ports/slices.js';
import type { MaybePromise } from '../../ports/maybe-promise.js';
import type { Store } from '../../ports/store.js';
import type { Contracts } from '../completion/contracts.js';
import type { Documents } from '../states/documents.js';
import { checkConditions, KeysWritten, type KeyConditions } from '../keys/conditions.js';
import type { KeyVersions } from '../keys/key-versions.js';
import type { BySession, OpenContracts } from '../completion/open-contracts.js';
import { prepareWrite, type Applied, type WriteCommand, type WriteResult } from './prepare-write.js';
import type { SchemaCache } from '../schemas/schema-cache.js';
import { writtenBefore, writtenOnce } from './write-receipts.js';
import { repeatedWrite } from './repeated-write.js';
import { termsOf } from './writer-of.js';
import type { DocumentTexts } from '../states/document-texts.js';

/** A write, and whoever waits for what becomes of it. */
export interface Waiting {
  readonly command: WriteCommand;
  readonly resolve: (outcome: Outcome<WriteResult>) => void;
  readonly reject: (error: unknown) => void;
}

/** A write that is settled before the batch is committed: refused, or broken off by a bug. */
type Settled =
  | { readonly waiting: Waiting; readonly outcome: Outcome<WriteResult> }
  | { readonly waiting: Waiting; readonly error: unknown };

/** One write within a batch: settled already, or the document as it left it and its place among the commits. */
type Placed =
  | Settled
  | {
      readonly waiting: Waiting;
      readonly before: JsonObject;
      readonly document: JsonObject;
      readonly commits: number;
      readonly changed: boolean;
      readonly warnings: readonly Violation[];
    };

export interface BatchParts {
  readonly store: Store;
  readonly engine: SchemaEngine;
  readonly texts: DocumentTexts;
  readonly contracts: Contracts;
  readonly openContracts: OpenContracts;
  readonly documents: Documents;
  readonly schemas: SchemaCache;
  readonly limits: Limits;
  readonly keyVersions: KeyVersions;
  readonly slices: Slices;
}

/** What a state is before a batch. */
export interface Before {
  readonly head: StateHead;
  readonly schema: WorkflowSchema;
  readonly document: JsonObject;
  readonly open: BySession;
}

/** Characters of documents and patches that one batch holds at most; one write, if it is larger. */
const CHARACTERS_MAX = 4 * 1024 * 1024;

export class WriteBatch {
  readonly #parts: BatchParts;
  readonly #before: Before;
  readonly #writes: PreparedWrite[] = [];
  readonly #keys = new KeysWritten();
  readonly #failures: FailedWrite[] = [];
  readonly #repeats: RepeatedWrite[] = [];
  readonly #placed: Placed[] = [];
  #document: JsonObject;
  #keyed = false;
  #taken = 0;
  #characters = 0;
  /** Looks at what the next write expects of keys. */
  readonly #keysFor = (conditions: KeyConditions) => {
    const { head, document: stored } = this.#before;
    const turn = { head, stored, writes: this.#writes, document: this.#document, keys: this.#keys };
    return checkConditions(this.#parts.keyVersions, turn, conditions);
  };

  constructor(parts: BatchParts, before: Before) {
    this.#parts = parts;
    this.#before = before;
    this.#document = before.document;
  }

  /** True where there is something to commit. */
  get commits(): boolean {
    return [this.#writes, this.#failures, this.#repeats].some((some) => some.length > 0) || this.#keyed;
  }

  /** Characters of the documents and patches that are to be committed. */
  get characters(): number {
    return this.#characters;
  }

  /** How many of the line were made ready: all, unless they weigh too much to be held at the same time. */
  get taken(): number {
    return this.#taken;
  }

  /** Makes the writes ready, in their order; at once where nothing has to be read. */
  prepare(line: readonly Waiting[], from = 0): MaybePromise<this> {
    for (let at = from; at < line.length; at += 1) {
      if (this.#characters > CHARACTERS_MAX) return this;
      const waiting = line[at];
      const step = waiting === undefined ? undefined : this.#take(waiting);
      this.#taken = at + 1;
      const turn = step ?? (at + 1 < line.length ? this.#parts.slices.turn() : undefined);
      if (turn !== undefined) return turn.then(() => this.prepare(line, at + 1));
    }
    return this;
  }

  /** What the decision about the batch looks at. */
  addWants(loads: LoadRequest[]): void {
    loads.push({ load: 'state', stateId: this.#before.head.stateId });
    // Several writes of one session often follow each other; naming it twice is no harm.
    let last: string | null = null;
    const add = (sessionId: string) => {
      if (sessionId !== last) loads.push({ load: 'aggregate', sessionId });
      last = sessionId;
    };
    for (const { writer, contractChanges } of this.#writes) {
      if (writer.sessionId !== null) add(writer.sessionId);
      for (const one of contractChanges ?? []) add(one.sessionId);
    }
  }

  /** The rule of that decision. */
  commit(unit: UnitOfWork): Outcome<Written> {
    const { head } = this.#before;
    const told = { failures: this.#failures, repeats: this.#repeats };
    const written = commitWrites(unit, head.stateId, head.version, this.#writes, told);
    if (written.ok && this.#keyed) this.#leaveReceipts(unit, written.value);
    return written;
  }

  /** Answers everybody. `written`: what the decision came to, once that is on disk; `null` where there was none to make. */
  answer(written: Outcome<Written> | null): void {
    const { head: before, schema } = this.#before;
    const outcome = written ?? accepted({ head: before, events: [] });
    if (written?.ok === true) {
      this.#parts.documents.keep(before.stateId, written.value.head.version, this.#document);
    }
    for (const one of this.#placed) {
      if ('error' in one) one.waiting.reject(one.error);
      else if ('outcome' in one) one.waiting.resolve(one.outcome);
      else if (!outcome.ok) one.waiting.resolve(outcome);
      else {
        const { before: from, document, changed, warnings } = one;
        const head = headAt(one.commits, outcome.value, before);
        one.waiting.resolve(accepted({ head, schema, document, changed, warnings, before: from }));
      }
    }
  }

  /** What one write breaks off by is its own: the others of the batch go on without it. */
  #take(waiting: Waiting): Promise<void> | undefined {
    const broken = (error: unknown) => void this.#placed.push({ waiting, error });
    try {
      const { once, writer } = waiting.command;
      if (once !== undefined || writer.sessionId !== null) {
        return this.#lookAndApply(waiting).catch(broken);
      }
      return this.#apply(waiting, null)?.catch(broken);
    } catch (error) {
      broken(error);
      return undefined;
    }
  }

  /** Of a request that may have been carried out before, or of a session. */
  async #lookAndApply(waiting: Waiting): Promise<void> {
    const { once, writer } = waiting.command;
    const before = once === undefined ? null : await writtenBefore(this.#parts, this.#before.head, once);
    if (before !== null) this.#placed.push({ waiting, outcome: before });
    else await this.#apply(waiting, await termsOf(this.#parts.store, writer));
  }

  #apply(waiting: Waiting, terms: WriterTerms | null): Promise<void> | undefined {
    const { head, schema, open } = this.#before;
    const base = {
      version: head.version + this.#writes.length,
      document: this.#document,
      schema: { hash: schema.hash, schema: schema.jsonSchema },
      lenient: head.lenient,
      keysFor: this.#keysFor,
      open,
    };
    const applied = prepareWrite(this.#parts, base, waiting.command, terms);
    const settle = (found: Outcome<Applied>) => this.#settle(waiting, found, base.version, terms);
    return applied instanceof Promise ? applied.then(settle) : settle(applied);
  }

  #settle(waiting: Waiting, found: Outcome<Applied>, version: number, terms: WriterTerms | null) {
    this.#place(waiting, found, version);
    const { writer, options } = waiting.command;
    if (!found.ok || found.value.prepared !== null || options.dryRun === true) return undefined;
    const isWrong = found.value.stillWrong === undefined || found.value.stillWrong.length > 0;
    if (isWrong || writer.sessionId === null || (terms?.settings.contract ?? null) === null) return undefined;
    return repeatedWrite(this.#parts, this.#before.head, this.#writes, writer.sessionId).then((repeat) => {
      if (repeat !== null) this.#repeats.push(repeat);
    });
  }

  #place(waiting: Waiting, applied: Outcome<Applied>, version: number): void {
    const { writer, options, once } = waiting.command;
    const dryRun = options.dryRun === true;
    if (!applied.ok) {
      this.#placed.push({ waiting, outcome: applied });
      if (!dryRun) this.#tell(writer, violationsOf(applied));
      return;
    }
    const { prepared, document, stillWrong = [] } = applied.value;
    const near = sizeWarnings(this.#parts.texts.bytes(document), this.#parts.limits);
    const warnings = near.length === 0 ? applied.value.warnings : [...applied.value.warnings, ...near];
    if (dryRun) {
      this.#placed.push({ waiting, outcome: wouldBe(this.#before, { ...applied.value, warnings }, version) });
      return;
    }
    const before = this.#document;
    this.#document = document;
    if (prepared !== null) {
      this.#writes.push(prepared);
      this.#characters += prepared.patchText.length + prepared.text.length;
    } else if (stillWrong.length > 0) this.#tell(writer, stillWrong);
    if (once !== undefined) this.#keyed = true;
    const commits = this.#writes.length;
    this.#placed.push({ waiting, before, document, commits, changed: prepared !== null, warnings });
  }

  #tell({ sessionId }: Writer, violations: readonly Violation[]): void {
    if (sessionId !== null) this.#failures.push({ sessionId, violations });
  }

  /** With the writes themselves, also where nothing changed. */
  #leaveReceipts(unit: UnitOfWork, written: Written): void {
    for (const one of this.#placed) {
      if (!('commits' in one) || one.waiting.command.once === undefined) continue;
      const result = { ...one, head: headAt(one.commits, written, this.#before.head) };
      unit.append('receipt', receiptOf(one.waiting.command.once, writtenOnce(result), unit.now));
    }
  }
}

/** The head as so many commits of a batch left it. */
function headAt(commits: number, written: Written, before: StateHead): StateHead {
  const event = commits === 0 ? undefined : written.events[commits - 1];
  if (event === undefined) return before;
  const { head } = written;
  if (event.version === head.version) return head;
  const then = copyOfHead(head);
  then.version = event.version;
  then.updatedAt = event.createdAt;
  then.updatedBy = event.sessionId;
  return then;
}

function wouldBe(
  { head, schema }: Before,
  { document, prepared, warnings }: Applied,
  version: number,
): Outcome<WriteResult> {
  const changed = prepared !== null;
  const would = { ...head, version: changed ? version + 1 : version };
  return accepted({ head: would, schema, document, changed, warnings });
}

/** A refused write as the next prompt will tell it. */
function violationsOf(outcome: Outcome<unknown>): readonly Violation[] {
  if (outcome.ok) return [];
  const { members, detail, error } = outcome.refusal;
  const errors = members['errors'];
  if (Array.isArray(errors)) return errors as readonly Violation[];
  const pointer = typeof members['pointer'] === 'string' ? members['pointer'] : '';
  return [{ pointer, keyword: error, message: detail, expected: null }];
}
