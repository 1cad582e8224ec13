// The key view as a part of the service: a tree's document as keys, each with a version of its own.
import type { Outcome } from '../domain/errors.js';
import type { JsonValue } from '../domain/json.js';
import type * as api from './api/index.js';

/** What a write of one key expects of it. */
export interface KeyWriteOptions {
  /** The key's version; where it has another, or is not there, `version_conflict`. */
  readonly ifMatch?: number | undefined;
  /** The state (its id) in which the key had that version: the tree may have another by now. */
  readonly ofState?: string | undefined;
  /** Only where the key is not there yet. */
  readonly ifAbsent?: boolean | undefined;
}

/** Every call names a session, by id or name; the state is that of its tree. */
export interface KeyService {
  /** Gives the tree of a root session its state. */
  open(session: string, body: api.KeyStateOpen): Promise<Outcome<api.StateEnvelope>>;
  all(session: string): Promise<Outcome<api.KeysView>>;
  /** @returns The key; or `key_not_found`. */
  get(session: string, key: string): Promise<Outcome<api.KeyView>>;
  set(
    session: string,
    key: string,
    value: JsonValue,
    options: KeyWriteOptions,
  ): Promise<Outcome<api.KeyWritten>>;
  remove(session: string, key: string, options: KeyWriteOptions): Promise<Outcome<api.KeyWritten>>;
  /** increment, append, merge: on the key as it is when the write's turn comes. */
  operate(
    session: string,
    key: string,
    operation: api.KeyOperation,
    options: KeyWriteOptions,
  ): Promise<Outcome<api.KeyWritten>>;
  /** All or none; refused with a result for each. */
  batch(session: string, body: api.KeyBatch): Promise<Outcome<api.KeyBatchResult>>;
  events(session: string, query: api.EventQuery): Promise<Outcome<api.KeyEventList>>;
  /** A write, put as the event that it becomes. */
  append(session: string, event: api.KeyEventAppend): Promise<Outcome<api.KeyWritten | api.StateWritten>>;
}
