// The service as a transport uses it: for any caller, whom it identifies first.
import type { Actor } from '../domain/access/actor.js';
import type { Damage } from '../domain/damage/damage.js';
import type { Failed, Result } from '../domain/errors.js';
import type { JsonObject, JsonValue } from '../domain/json/json.js';
import type { MaybePromise } from '../lib/maybe-promise.js';
import type { Countersign } from './service.js';
import type { StorageHealth } from './storage/storage.js';

/**
 * What a caller presents to identify itself. With `--auth` only the token counts. Without it, the session
 * headers count too.
 */
export interface Credentials {
  readonly bearer: string | null;
  readonly sessionId: string | null;
  readonly sessionName: string | null;
}

/** A request with an idempotency key. */
export interface KeyedRequest {
  readonly key: string;
  /** Hash of everything that identifies the request's content. */
  readonly fingerprint: string;
  /** False for a stored value that is no answer of `work`: its record is damaged. Default: every value is one. */
  readonly isAnswer?: (stored: JsonValue) => boolean;
}

/** A JSON text and its length in UTF-8. */
export interface JsonText {
  readonly text: string;
  readonly bytes: number;
}

/**
 * Takes what a session reads through the service. Each note moves the session's read cursor, so an adapter runs it
 * only when it is about to send the session what was read, and waits for it before.
 */
export interface ReadLog {
  add(note: () => MaybePromise<void>): void;
}

/** The service as an adapter uses it: for any caller. */
export interface Host {
  /** @returns The caller; or `unauthorized`, or `session_not_found` if a header names an unknown session. */
  identify(credentials: Credentials): MaybePromise<Result<Actor>>;
  /**
   * Returns the service on behalf of a caller. Cheap.
   *
   * @param reads - Takes what the caller reads. Without it, whatever the service returns counts as read.
   */
  as(actor: Actor, reads?: ReadLog): Countersign;
  /**
   * Executes a request with an idempotency key at most once. The effect and the record of it are one commit. The result
   * is stored right after, and a replay returns the stored answer. Failures are not stored, because they have no effect.
   *
   * @returns The result; or `idempotency_in_flight`, `idempotency_mismatch`, or a failure of `work`.
   */
  once<T extends JsonValue>(
    actor: Actor,
    request: KeyedRequest,
    work: (service: Countersign) => MaybePromise<Result<T>>,
  ): Promise<Result<{ answer: T; replayed: boolean }>>;
  /** Logs and counts a damaged record that a request met, once. @returns The failure of the request. */
  damagedRecord(damage: Damage): Failed;
  /** The text of a document that the service gave out, made once for all who ask. */
  textOf(document: JsonObject): JsonText;
  /** Whether the database can be written now; `closing` while the service stops. */
  ready(): Promise<StorageHealth | 'closing'>;
  /** Number of records by kind and status, for metrics. */
  counts(): Promise<Readonly<Record<string, Readonly<Record<string, number>>>>>;
}
