// What clients were told, state by state: the evidence that the history is held against when all is over.
import { canonicalJson, contentHash } from '../../../src/document/canonical.js';
import type { Operation } from './linearizability.js';
import type { Answer } from './wire.js';

/** What a write must have brought about in the document of its version. */
export type Effect =
  | { readonly pointer: string; readonly is: unknown }
  | { readonly pointer: string; readonly adds: number }
  | { readonly pointer: string; readonly holds: string }
  | { readonly asAtVersion: number };

/**
 * A text that is written by one request only. `void`: that request was refused or only tried out, so it stands in no event;
 * `lost`: its answer never came, so it stands in one event at most; else it stands in the event of that version alone.
 */
export type Fate = number | 'lost' | 'void';

export interface Promised {
  readonly version: number;
  readonly effects: readonly Effect[];
}

export interface Told {
  readonly invokedAt: number;
  readonly expected?: number | null | undefined;
  readonly token?: string | null | undefined;
  readonly effects?: readonly Effect[] | undefined;
}

/** Of one state. */
export class Journal {
  readonly operations: Operation[] = [];
  readonly fates = new Map<string, Fate>();
  readonly promises: Promised[] = [];
  /** Increments of the state's counters: acknowledged, and lost. */
  readonly added = { acknowledged: 0, lost: 0 };
  /** The newest version that anybody was told. */
  newest = 0;

  constructor(
    readonly stateId: string,
    readonly name: string,
  ) {}

  get acknowledged(): number {
    return this.operations.filter((one) => one.kind === 'write' && one.changed).length;
  }

  /**
   * A write that was answered with 200. An answer of the key view tells the state's version, and no document.
   *
   * @param invokedAt - When it was sent for the first time.
   * @returns The version of the state after it.
   */
  wrote(
    id: string,
    answer: Answer,
    { invokedAt, expected = null, token = null, effects = [] }: Told,
  ): number {
    const { changed, global_version, version, current_data } = answer.body;
    const now: number = global_version ?? version;
    const value = current_data === undefined ? null : digest(current_data);
    this.#note({
      kind: 'write',
      id,
      invokedAt,
      returnedAt: answer.returnedAt,
      version: now,
      value,
      changed,
      expected,
    });
    if (token !== null) this.fates.set(token, changed === true ? now : 'void');
    this.promises.push({ version: now, effects });
    this.added.acknowledged += sumOf(effects);
    return now;
  }

  lost(id: string, invokedAt: number, token: string | null, effects: readonly Effect[]): void {
    this.operations.push({ kind: 'lost', id, invokedAt });
    if (token !== null) this.fates.set(token, 'lost');
    this.added.lost += sumOf(effects);
  }

  conflict(id: string, answer: Answer, expected: number): void {
    const { invokedAt, returnedAt, body } = answer;
    const value = digest(body.current_data);
    this.#note({
      kind: 'conflict',
      id,
      invokedAt,
      returnedAt,
      version: body.current_version,
      value,
      expected,
    });
  }

  /** @param document - `undefined` where the answer did not hold it whole. */
  read(
    id: string,
    { invokedAt, returnedAt }: Answer,
    version: number,
    document: unknown,
    past = false,
  ): void {
    const value = document === undefined ? null : digest(document);
    this.#note({ kind: past ? 'past' : 'read', id, invokedAt, returnedAt, version, value });
  }

  #note(operation: Exclude<Operation, { kind: 'lost' }>): void {
    this.operations.push(operation);
    this.newest = Math.max(this.newest, operation.version);
  }
}

function sumOf(effects: readonly Effect[]): number {
  return effects.reduce((sum, one) => sum + ('adds' in one && isCounter(one.pointer) ? one.adds : 0), 0);
}

/** Only increments write there, so that the sum can be told. */
function isCounter(pointer: string): boolean {
  return pointer.startsWith('/counters/');
}

/** Equal for equal documents, in whatever order their members stand. */
export function digest(document: any): string {
  return contentHash(canonicalJson(document));
}
