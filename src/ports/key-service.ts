// The key view as a part of the service: a tree's document as keys, each with a version of its own.
import type { Outcome } from '../domain/errors.js';
import type { JsonValue } from '../domain/json/json.js';
import type * as api from './api/index.js';

/** The header in which a key that is read over HTTP has its `global_version`. */
export const STATE_VERSION_HEADER = 'X-Workflow-State-Version';

/** A version of a key, in one state where that is said: a tree may have one state after another. */
export interface KeyTag {
  readonly version: number;
  readonly stateId?: string;
}

/** What a write of one key expects of it; where that does not hold, `version_conflict`. */
export interface KeyWriteOptions {
  /** The key's version, or one of several; `*` for any, so that the key has to be there. */
  readonly ifMatch?: number | '*' | readonly KeyTag[] | undefined;
  /** The state (its id) in which the key had that version: the tree may have another by now. */
  readonly ofState?: string | undefined;
  /** Only where the key is not there yet. */
  readonly ifAbsent?: boolean | undefined;
  /** Versions that the key must not have. */
  readonly ifNoneMatch?: readonly KeyTag[] | undefined;
}

/** Every call names a session, by id or name; the state is that of its tree. */
export interface KeyService {
  /** Gives the tree of a root session its state. */
  open(session: string, body: api.KeyStateOpen): Promise<Outcome<api.StateEnvelope>>;
  all(session: string): Promise<Outcome<api.KeysView>>;
  /** @returns The key; or `key_not_found`. */
  get(session: string, key: string): Promise<Outcome<api.KeyRead>>;
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
