// The key view as a part of the service: the top-level members of a tree's document, each with its own version.
import type { Result } from '../domain/errors.js';
import type { JsonValue } from '../domain/json/json.js';
import type * as api from './api/index.js';

/** The response header that holds the `global_version` of a key read over HTTP. */
export const STATE_VERSION_HEADER = 'X-Workflow-State-Version';

/** A version of a key. `stateId`, if present, names the state: a tree can have several states one after the other. */
export interface KeyTag {
  readonly version: number;
  readonly stateId?: string;
}

/**
 * Preconditions of a write to one key. If one does not hold, the write fails with `version_conflict`.
 *
 * @example
 * await service.keys.set(session, 'status', 'done', { ifMatch: 7 });
 */
export interface KeyWriteOptions {
  /** The key's version, or a list of accepted versions. `*` accepts any version, but the key must exist. */
  readonly ifMatch?: number | '*' | readonly KeyTag[] | undefined;
  /** Id of the state that the version belongs to. The tree may have another state by now. */
  readonly ofState?: string | undefined;
  /** The key must not exist. */
  readonly ifAbsent?: boolean | undefined;
  /** Versions that the key must not have. */
  readonly ifNoneMatch?: readonly KeyTag[] | undefined;
}

/**
 * Options of a write that sets or removes a key: its preconditions, and its base as in a write of the document.
 *
 * @example
 * await service.keys.set(session, 'parts', parts, { baseVersion: 'last_read' });
 */
export interface KeyReplaceOptions extends KeyWriteOptions {
  /** The version of the state that the write is based on, or `last_read`. What others changed since then is kept. */
  readonly baseVersion?: api.BaseVersion | undefined;
  /** How to handle a location that others changed too. Default: `merge`. Only valid with `baseVersion`. */
  readonly onConflict?: api.OnConflict | undefined;
}

/**
 * Each call names a session by id or name, and works on the state of that session's tree.
 *
 * @example
 * await service.keys.operate(session, 'count', { operation: 'increment', delta: 1 }, {});
 */
export interface KeyService {
  /** Creates the state of a root session's tree. */
  open(session: string, body: api.KeyStateOpen): Promise<Result<api.StateEnvelope>>;
  all(session: string): Promise<Result<api.KeysView>>;
  /** @returns The key, or `key_not_found`. */
  get(session: string, key: string): Promise<Result<api.KeyRead>>;
  set(
    session: string,
    key: string,
    value: JsonValue,
    options: KeyReplaceOptions,
  ): Promise<Result<api.KeyWritten>>;
  remove(session: string, key: string, options: KeyReplaceOptions): Promise<Result<api.KeyWritten>>;
  /** Applies `increment`, `append` or `merge` to the key's value at the time of the write. */
  operate(
    session: string,
    key: string,
    operation: api.KeyOperation,
    options: KeyWriteOptions,
  ): Promise<Result<api.KeyWritten>>;
  /** Applies all operations or none. A failure has one result per operation. */
  batch(session: string, body: api.KeyBatch): Promise<Result<api.KeyBatchResult>>;
  events(session: string, query: api.EventQuery): Promise<Result<api.KeyEventList>>;
  /** Performs the write that the event describes. */
  append(session: string, event: api.KeyEventAppend): Promise<Result<api.KeyWritten | api.StateWritten>>;
}
