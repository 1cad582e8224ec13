// What is kept of workflow schemas and states: plain data, see records.ts.
import type { JsonObject } from '../json/json.js';
import type { CompatibilityMode } from '../schemas/compatibility.js';

/** A registered version of a workflow schema. Immutable but for its compatibility mode and description. */
export interface WorkflowSchema {
  readonly schemaId: string;
  readonly name: string;
  readonly version: number;
  readonly jsonSchema: JsonObject;
  /** SHA-256 (hex) of the canonical form; equal content has an equal hash. */
  readonly hash: string;
  readonly description: string | null;
  /** What holds between versions of the name; that of the newest version counts. */
  readonly compatibility: CompatibilityMode;
  /** The tree that the name belongs to, the same for all its versions; `null` for the service's own. */
  readonly ownerRootSessionId: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly revision: number;
}

/** Head of a workflow state. Its document is the newest snapshot with the events after it applied. */
export interface StateHead {
  readonly stateId: string;
  readonly schemaId: string;
  readonly rootSessionId: string;
  /** 1 when created, +1 per accepted change. */
  readonly version: number;
  /** Newest version that is kept whole. */
  readonly snapshotVersion: number;
  /** Size of the patches since that snapshot, bytes of JSON text. */
  readonly patchBytesSinceSnapshot: number;
  /** Hash of the newest event: what the next one is chained to. */
  readonly lastHash: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Session that wrote last; `null` for the operator. */
  readonly updatedBy: string | null;
  /** True where the document may break its schema in places that a migration has let stay, see `prepareWrite`. */
  readonly tolerates: boolean;
  readonly revision: number;
}

export type EventKind =
  | 'create'
  | 'replace'
  | 'json_patch'
  | 'merge_patch'
  | 'ops'
  | 'revert'
  | 'migrate'
  /** By the coordinator, for a session whose client was held to give its result as its output. */
  | 'on_behalf'
  /** Through the key view. */
  | 'key_set'
  | 'key_delete'
  | 'key_increment'
  | 'key_append'
  | 'key_patch'
  | 'key_batch';

/** One accepted write. Immutable. */
export interface StateEvent {
  readonly eventId: string;
  readonly stateId: string;
  readonly rootSessionId: string;
  readonly version: number;
  readonly kind: EventKind;
  /** Forward patch as JSON text, canonical (RFC 8785). */
  readonly patchText: string;
  readonly sessionId: string | null;
  readonly runId: string | null;
  /** Name of the bearer token that wrote, where there was one. */
  readonly tokenName: string | null;
  /** The id that the writer's client gave to the call of the tool that wrote; `null` where none was told. */
  readonly toolCallId: string | null;
  /** Written after the writer's completion had failed or been skipped. */
  readonly late: boolean;
  readonly createdAt: number;
  /** The schema version before and after a migration; `null` for every other write. */
  readonly fromSchemaId: string | null;
  readonly toSchemaId: string | null;
  /** Hash of the event before; `''` for the first. */
  readonly previousHash: string;
  readonly hash: string;
}

/** A version kept whole. Immutable. */
export interface StateSnapshot {
  readonly stateId: string;
  readonly rootSessionId: string;
  readonly version: number;
  /** The document as JSON text. */
  readonly text: string;
}
