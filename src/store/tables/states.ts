// The tables of schemas, states and their histories. See sessions.ts for the order of columns.
import type * as records from '../../domain/records/records.js';
import type { DomainEvent } from '../../domain/records/domain-event.js';
import * as forms from '../rows/forms.js';
import { JSON_ARRAY, JSON_OBJECT, JSON_OBJECTS } from '../rows/values.js';
import { index, uniqueIndex, type Columns, type ColumnTypes } from './declare.js';

export const schemas = <D extends ColumnTypes>(c: Columns<D>) => ({
  name: 'workflow_schemas' as const,
  columns: {
    schemaId: c.text('schema_id'),
    name: c.text('name'),
    version: c.count('version'),
    hash: c.text('hash'),
    description: c.nullable.text('description'),
    compatibility: c.oneOf('compatibility', forms.COMPATIBILITY_WORDS, null),
    createdAt: c.time('created_at'),
    updatedAt: c.time('updated_at'),
    revision: c.revision('revision'),
    ownerRootSessionId: c.nullable.text('owner_root_session_id'),
    jsonSchema: c.json<records.WorkflowSchema['jsonSchema']>('json_schema', JSON_OBJECT),
  },
  indices: [
    uniqueIndex('workflow_schemas_id', ['schemaId']),
    uniqueIndex('workflow_schemas_version', ['name', 'version']),
    index('workflow_schemas_hash', ['name', 'hash']),
    // Partial: few versions belong to a tree.
    index('workflow_schemas_owner', ['ownerRootSessionId'], 'owner_root_session_id is not null'),
  ],
});

/** Heads. No column that a write changes has an index: every write would pay for it. */
export const states = <D extends ColumnTypes>(c: Columns<D>) => ({
  name: 'workflow_states' as const,
  columns: {
    stateId: c.text('state_id'),
    schemaId: c.text('schema_id'),
    rootSessionId: c.text('root_session_id'),
    version: c.count('version'),
    snapshotVersion: c.count('snapshot_version'),
    patchBytesSinceSnapshot: c.count('patch_bytes_since_snapshot'),
    lastHash: c.text('last_hash'),
    createdAt: c.time('created_at'),
    updatedAt: c.time('updated_at'),
    updatedBy: c.nullable.text('updated_by'),
  },
  indices: [
    uniqueIndex('workflow_states_id', ['stateId']),
    uniqueIndex('workflow_states_root', ['rootSessionId']),
    index('workflow_states_schema', ['schemaId']),
  ],
});

export const events = <D extends ColumnTypes>(c: Columns<D>) => ({
  name: 'state_events' as const,
  columns: {
    stateKey: c.count('state_key'),
    version: c.count('version'),
    eventId: c.text('event_id'),
    rootSessionId: c.text('root_session_id'),
    kind: c.oneOf('kind', forms.EVENT_KINDS, null),
    sessionId: c.nullable.text('session_id'),
    runId: c.nullable.text('run_id'),
    tokenName: c.nullable.text('token_name'),
    toolCallId: c.nullable.text('tool_call_id'),
    late: c.flag('late'),
    createdAt: c.time('created_at'),
    fromSchemaId: c.nullable.text('from_schema_id'),
    toSchemaId: c.nullable.text('to_schema_id'),
    previousHash: c.text('previous_hash'),
    hash: c.text('hash'),
    patchText: c.text('patch'),
    signature: c.nullable.text('signature'),
  },
  indices: [
    uniqueIndex('state_events_version', ['stateKey', 'version']),
    // Partial: migrations are few.
    index('state_events_migration', ['stateKey', 'version'], 'from_schema_id is not null'),
    index('state_events_from_schema', ['fromSchemaId'], 'from_schema_id is not null'),
  ],
});

export const snapshots = <D extends ColumnTypes>(c: Columns<D>) => ({
  name: 'state_snapshots' as const,
  columns: {
    stateKey: c.count('state_key'),
    version: c.count('version'),
    rootSessionId: c.text('root_session_id'),
    text: c.text('text'),
    eventHash: c.nullable.text('event_hash'),
    hash: c.nullable.text('hash'),
    signature: c.nullable.text('signature'),
  },
  indices: [uniqueIndex('state_snapshots_version', ['stateKey', 'version'])],
});

/** Compacted histories. In a separate table, so that writes of a state do not pay for it. */
export const cuts = <D extends ColumnTypes>(c: Columns<D>) => ({
  name: 'state_history_cuts' as const,
  columns: {
    /** The oldest available version. It has a snapshot. */
    oldestVersion: c.count('oldest_version'),
    /** `seq` of the newest removed event. */
    throughEvent: c.count('through_event'),
    signature: c.nullable.text('signature'),
  },
  indices: [index('state_history_cuts_through', ['throughEvent'])],
});

/** Invocations that were moved out of workflow records. */
export const archives = <D extends ColumnTypes>(c: Columns<D>) => ({
  name: 'workflow_archives' as const,
  columns: {
    archiveId: c.text('archive_id'),
    stateId: c.text('state_id'),
    rootSessionId: c.text('root_session_id'),
    createdAt: c.time('created_at'),
    invocations: c.json<records.WorkflowArchive['invocations']>('invocations', JSON_OBJECTS),
  },
  indices: [
    uniqueIndex('workflow_archives_id', ['archiveId']),
    index('workflow_archives_state', ['stateId']),
    index('workflow_archives_age', ['createdAt']),
  ],
});

/** What each session has read of a state. */
export const readCursors = <D extends ColumnTypes>(c: Columns<D>) => ({
  name: 'read_marks' as const,
  columns: {
    stateId: c.text('state_id'),
    sessionId: c.text('session_id'),
    version: c.count('version'),
    ownVersion: c.count('own_version'),
    parts: c.json<records.ReadCursor['parts']>('parts', forms.PARTS),
    own: c.nullable.json<records.ReadCursor['own']>('own', JSON_ARRAY),
  },
  indices: [uniqueIndex('read_marks_session', ['stateId', 'sessionId'])],
});

/** Domain events. */
export const notices = <D extends ColumnTypes>(c: Columns<D>) => ({
  name: 'notices' as const,
  columns: {
    /** This domain event follows the state events up to this number in the feed. Never decreases. */
    afterEvent: c.count('after_event'),
    kind: c.oneOf('kind', forms.NOTICE_KINDS, null),
    subjectId: c.text('subject_id'),
    rootSessionId: c.text('root_session_id'),
    createdAt: c.time('created_at'),
    facts: c.json<DomainEvent['facts']>('facts', JSON_OBJECT),
  },
  indices: [index('notices_root', ['rootSessionId', 'seq']), index('notices_subject', ['subjectId', 'seq'])],
});
