// Stored records of workflow schemas and states: plain data, see records.ts.
import type { JsonObject } from '../json/json.js';

/**
 * `backward`: a new version accepts what the version before accepts. `forward`: the reverse. Transitive modes
 * compare with all versions.
 */
export type CompatibilityMode =
  'none' | 'backward' | 'forward' | 'full' | 'backward_transitive' | 'forward_transitive' | 'full_transitive';

/** A registered version of a workflow schema. Immutable except for its compatibility mode and description. */
export interface WorkflowSchema {
  readonly schemaId: string;
  readonly name: string;
  readonly version: number;
  readonly jsonSchema: JsonObject;
  /** SHA-256 (hex) of the canonical form; equal content has an equal hash. */
  readonly hash: string;
  readonly description: string | null;
  /** The compatibility mode of the name. The mode of the newest version applies. */
  readonly compatibility: CompatibilityMode;
  /** The tree that owns the name, the same for all its versions; `null` for the service's own names. */
  readonly ownerRootSessionId: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly revision: number;
}

/** Head of a workflow state. The document is the newest snapshot with the later events applied. */
export interface StateHead {
  readonly stateId: string;
  readonly schemaId: string;
  readonly rootSessionId: string;
  /** 1 when created, +1 for each accepted change. */
  readonly version: number;
  /** Newest version that has a snapshot. */
  readonly snapshotVersion: number;
  /** Size of the patches since that snapshot, in characters of JSON text. */
  readonly patchBytesSinceSnapshot: number;
  /** Hash of the newest event. The next event is chained to it. */
  readonly lastHash: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Session that wrote last; `null` for the operator. */
  readonly updatedBy: string | null;
  /**
   * True if the document may violate its schema in locations that a migration has left as they were, see
   * `prepareWrite`.
   */
  readonly lenient: boolean;
  /** The newest version from before histories were signed here; 0 if each is signed, or none. */
  readonly unsignedThrough: number;
  /** Signature of the head's hash; `null` if the database is not signed. */
  readonly signature: string | null;
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
  /** Written by the service, for a session whose client had to return its result as structured output. */
  | 'on_behalf'
  /** An entry of the workflow record. */
  | 'workflow'
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
  /** Name of the bearer token that wrote; `null` if there was none. */
  readonly tokenName: string | null;
  /** The id that the writer's client gave to the tool call that wrote; `null` if the client sent none. */
  readonly toolCallId: string | null;
  /** Written after the writer's completion had failed or been skipped. */
  readonly late: boolean;
  readonly createdAt: number;
  /** The schema version before and after a migration; `null` for every other write. */
  readonly fromSchemaId: string | null;
  readonly toSchemaId: string | null;
  /** Hash of the event before; `''` for the first event. */
  readonly previousHash: string;
  readonly hash: string;
  /** Signature of the hash; `null` if the service had no signing secret. */
  readonly signature: string | null;
}

/** A version stored as a whole document. Immutable. */
export interface StateSnapshot {
  readonly stateId: string;
  readonly rootSessionId: string;
  readonly version: number;
  /** The document as JSON text. */
  readonly text: string;
  /** Hash of the event of this version; `null` in snapshots of earlier releases. */
  readonly eventHash: string | null;
  /** See `snapshotHash`; `null` in snapshots of earlier releases. */
  readonly hash: string | null;
  /** Signature of the hash; `null` if the service had no signing secret. */
  readonly signature: string | null;
}

/** Ended invocations that were moved out of a workflow record. Immutable, and removed with its state or by its age. */
export interface WorkflowArchive {
  readonly archiveId: string;
  readonly stateId: string;
  readonly rootSessionId: string;
  readonly createdAt: number;
  /** As they stood in the document, oldest first. */
  readonly invocations: readonly JsonObject[];
}

/** Where a compacted history begins. */
export interface CompactionPoint {
  readonly oldestVersion: number;
  /** Signature of `compactionHash`; `null` if the service had no signing secret. */
  readonly signature: string | null;
}
