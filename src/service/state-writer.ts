// The writer of every state. Whatever waits when its turn comes is applied one after the other, each accepted or
// refused on its own, and committed together.
import { STALE, deciding, type Draft } from '../domain/draft.js';
import { accepted, type Outcome, type Violation } from '../domain/errors.js';
import type { Want } from '../domain/family.js';
import { receiptOf } from '../domain/receipts.js';
import type { JsonObject } from '../domain/json.js';
import type { Limits } from '../domain/limits.js';
import type { StateHead, WorkflowSchema } from '../domain/records.js';
import {
  commitWrites,
  noState,
  type FailedWrite,
  type PreparedWrite,
  type WriterTerms,
  type Written,
} from '../domain/states/write.js';
import type { SchemaEngine } from '../ports/schema-engine.js';
import type { Store } from '../ports/store.js';
import type { Contracts } from './contracts.js';
import type { Documents } from './documents.js';
import { checkConditions, type KeyConditions } from './keys/conditions.js';
import type { KeyVersions } from './keys/key-versions.js';
import type { OpenContracts } from './open-contracts.js';
import { prepareWrite, type Applied, type WriteCommand } from './prepare-write.js';
import type { SchemaCache } from './schema-cache.js';
import type { Trees } from './trees.js';
import { writtenBefore, writtenOnce } from './write-receipts.js';

/** What became of a write. */
export interface WriteResult {
  readonly head: StateHead;
  readonly schema: WorkflowSchema;
  readonly document: JsonObject;
  readonly changed: boolean;
  /** What the schema refuses and the write has let stay, see `judgeDocument`. */
  readonly warnings: readonly Violation[];
}

interface Waiting {
  readonly command: WriteCommand;
  readonly resolve: (outcome: Outcome<WriteResult>) => void;
  readonly reject: (error: unknown) => void;
}

/** A write of a batch that is settled before the batch is committed: refused, or broken off by a bug. */
type Settled =
  | { readonly waiting: Waiting; readonly outcome: Outcome<WriteResult> }
  | { readonly waiting: Waiting; readonly error: unknown };

/** One write within a batch: settled already, or the document as it left it and its place among the commits. */
type Placed =
  | Settled
  | {
      readonly waiting: Waiting;
      readonly document: JsonObject;
      readonly commits: number;
      readonly changed: boolean;
      readonly warnings: readonly Violation[];
    };

interface Parts {
  readonly store: Store;
  readonly engine: SchemaEngine;
  readonly contracts: Contracts;
  readonly openContracts: OpenContracts;
  readonly documents: Documents;
  readonly schemas: SchemaCache;
  readonly trees: Trees;
  readonly limits: Limits;
  readonly keyVersions: KeyVersions;
}

export class StateWriter {
  readonly #waiting = new Map<string, Waiting[]>();
  /** States whose first waiting write came with this turn of the event loop. */
  #announced: { readonly stateId: string; readonly rootSessionId: string }[] = [];

  constructor(private readonly parts: Parts) {}

  /** Takes a write; settles when it is on disk, or refused. */
  write(stateId: string, rootSessionId: string, command: WriteCommand): Promise<Outcome<WriteResult>> {
    return new Promise((resolve, reject) => {
      const one = { command, resolve, reject };
      const line = this.#waiting.get(stateId);
      if (line !== undefined) {
        line.push(one);
        return;
      }
      this.#waiting.set(stateId, [one]);
      this.#announce(stateId, rootSessionId);
    });
  }

  /** Turns begin after the poll phase, so that whatever came in with this turn of the event loop shares one. */
  #announce(stateId: string, rootSessionId: string): void {
    if (this.#announced.length === 0) setImmediate(() => this.#begin());
    this.#announced.push({ stateId, rootSessionId });
  }

  #begin(): void {
    const announced = this.#announced;
    this.#announced = [];
    for (const { stateId, rootSessionId } of announced) {
      void this.parts.trees.queue.run(rootSessionId, () => this.#turn(stateId));
    }
  }

  async #turn(stateId: string): Promise<void> {
    const batch = this.#waiting.get(stateId) ?? [];
    this.#waiting.delete(stateId);
    try {
      for (let tries = 0; tries < this.parts.limits.preparationsMax; tries += 1) {
        if (await this.#attempt(stateId, batch)) return;
      }
      throw new Error(`writes to ${stateId} cannot be committed: they are stale every time`);
    } catch (error) {
      for (const one of batch) one.reject(error);
    }
  }

  /** @returns False where the state, or what a writer is held to, moved meanwhile: to be prepared again. */
  async #attempt(stateId: string, batch: readonly Waiting[]): Promise<boolean> {
    const { store, documents, schemas } = this.parts;
    const head = store.knownHead(stateId) ?? (await store.read.state(stateId));
    const schema =
      head === null ? null : (schemas.kept(head.schemaId) ?? (await schemas.byId(head.schemaId)));
    const document =
      head === null
        ? null
        : (documents.kept(stateId, head.version) ?? (await documents.at(stateId, head.version)));
    if (head === null || schema === null || document === null) {
      for (const one of batch) one.resolve(noState(stateId));
      return true;
    }
    const prepared = await this.#prepare(batch, head, schema, document);
    const keyed = prepared.placed.some((one) => 'commits' in one && one.waiting.command.once !== undefined);
    if (prepared.writes.length === 0 && prepared.failures.length === 0 && !keyed) {
      answer(prepared.placed, schema, { head, events: [] }, head);
      return true;
    }
    const wants: Want[] = [{ want: 'state', stateId }, ...desksOf(prepared.writes)];
    const rule = (draft: Draft) => {
      const written = commitWrites(draft, stateId, head.version, prepared.writes, prepared.failures);
      if (keyed && written.ok) leaveReceipts(draft, prepared.placed, written.value, head);
      return written;
    };
    const outcome = await store.transact(wants, deciding(this.parts.trees.context(), rule, wants));
    if (outcome === STALE) return false;
    if (!outcome.ok) {
      for (const one of prepared.placed) {
        if ('commits' in one) one.waiting.resolve(outcome);
        else settle(one);
      }
      return true;
    }
    documents.keep(stateId, outcome.value.head.version, prepared.document);
    answer(prepared.placed, schema, outcome.value, head);
    return true;
  }

  async #prepare(batch: readonly Waiting[], head: StateHead, schema: WorkflowSchema, first: JsonObject) {
    const writes: PreparedWrite[] = [];
    const failures: FailedWrite[] = [];
    const placed: Placed[] = [];
    const { openContracts } = this.parts;
    const open = openContracts.kept(head.rootSessionId) ?? (await openContracts.of(head.rootSessionId));
    let document = first;
    for (const waiting of batch) {
      // What one write breaks off by is its own: the others of the batch go on without it.
      try {
        const { command } = waiting;
        const turn = { head, stored: first, writes, document };
        const base = {
          version: head.version + writes.length,
          document,
          schema: { hash: schema.hash, schema: schema.jsonSchema },
          tolerates: head.tolerates,
          keysFor: (conditions: KeyConditions) => checkConditions(this.parts.keyVersions, turn, conditions),
          open,
        };
        const before =
          command.once === undefined ? null : await writtenBefore(this.parts, head, command.once);
        if (before !== null) {
          placed.push({ waiting, outcome: before });
          continue;
        }
        const { sessionId } = command.writer;
        const terms = sessionId === null ? null : await this.#termsOf(sessionId);
        const applied = await prepareWrite(this.parts, base, command, terms);
        if (!applied.ok) {
          placed.push({ waiting, outcome: applied });
          if (sessionId !== null && command.options.dryRun !== true) {
            failures.push({ sessionId, violations: violationsOf(applied) });
          }
          continue;
        }
        const { prepared, warnings } = applied.value;
        if (command.options.dryRun === true) {
          placed.push({ waiting, outcome: wouldBe(head, schema, applied.value, base.version) });
          continue;
        }
        document = applied.value.document;
        if (prepared !== null) writes.push(prepared);
        placed.push({ waiting, document, commits: writes.length, changed: prepared !== null, warnings });
      } catch (error) {
        placed.push({ waiting, error });
      }
    }
    return { writes, failures, placed, document };
  }

  async #termsOf(sessionId: string): Promise<WriterTerms | null> {
    const completion = await this.parts.store.read.completion(sessionId);
    return completion === null ? null : { generation: completion.generation, settings: completion.settings };
  }
}

function desksOf(writes: readonly PreparedWrite[]): Want[] {
  const ids = new Set(
    writes.flatMap(({ writer, turned = [] }) => [
      ...(writer.sessionId === null ? [] : [writer.sessionId]),
      ...turned.map((one) => one.sessionId),
    ]),
  );
  return [...ids].map((sessionId) => ({ want: 'desk', sessionId }));
}

function settle(one: Settled): void {
  if ('outcome' in one) one.waiting.resolve(one.outcome);
  else one.waiting.reject(one.error);
}

function answer(
  placed: readonly Placed[],
  schema: WorkflowSchema,
  written: Written,
  before: StateHead,
): void {
  for (const one of placed) {
    if (!('commits' in one)) {
      settle(one);
      continue;
    }
    const head = headAt(one.commits, written, before);
    const { document, changed, warnings } = one;
    one.waiting.resolve(accepted({ head, schema, document, changed, warnings }));
  }
}

/** The head as so many commits of a batch left it. */
function headAt(commits: number, written: Written, before: StateHead): StateHead {
  const event = commits === 0 ? undefined : written.events[commits - 1];
  if (event === undefined) return before;
  const { head } = written;
  if (event.version === head.version) return head;
  return { ...head, version: event.version, updatedAt: event.createdAt, updatedBy: event.sessionId };
}

/** With the writes themselves, also where nothing changed. */
function leaveReceipts(draft: Draft, placed: readonly Placed[], written: Written, before: StateHead): void {
  for (const one of placed) {
    if (!('commits' in one) || one.waiting.command.once === undefined) continue;
    const result = { ...one, head: headAt(one.commits, written, before) };
    draft.append('receipt', receiptOf(one.waiting.command.once, writtenOnce(result), draft.now));
  }
}

function wouldBe(
  head: StateHead,
  schema: WorkflowSchema,
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
