// Wire contract of workflow states.
import { Type, type Static } from 'typebox';
import {
  closed,
  Json,
  JsonRecord,
  Nullable,
  pageQuery,
  Pointer,
  Timestamp,
  Version,
  versionBefore,
  Warnings,
} from '../common.js';
import { Document, JsonPatch, JsonPatchToApply } from './patches.js';
import { SchemaName } from '../schemas.js';
import { Wait } from '../sessions.js';

export const StateCreate = Type.Object(
  {
    schema_name: SchemaName,
    schema_version: Type.Optional(Version),
    initial_data: Document,
    root_session_id: Type.Optional(Type.String()),
    root_session_name: Type.Optional(Type.String()),
  },
  closed,
);
export type StateCreate = Static<typeof StateCreate>;

const envelope = {
  state_id: Type.String(),
  schema_id: Type.String(),
  schema_name: Type.String(),
  schema_version: Version,
  root_session_id: Type.String(),
  root_session_name: Type.String(),
  version: Version,
  created_at: Timestamp,
  updated_at: Timestamp,
  updated_by: Nullable(
    Type.String({ description: 'Id of the session that wrote last; null for the operator' }),
  ),
  current_data: JsonRecord,
};

export const StateEnvelope = Type.Object(envelope);
export type StateEnvelope = Static<typeof StateEnvelope>;

export const StateWritten = Type.Object({
  ...envelope,
  changed: Type.Boolean(),
  warnings: Type.Optional(Warnings),
  merged: Type.Optional(
    Type.Boolean({
      description: 'With `base_version`: the document holds changes of others beside the own ones',
    }),
  ),
});
export type StateWritten = Static<typeof StateWritten>;

/** The stored record that keeps the document of a listed state from being read. Same members as the problem. */
export const ListedDamage = Type.Object(
  {
    record: Type.String({ description: 'Kind of the record, such as `snapshot` or `event`' }),
    record_id: Type.String(),
    column: Nullable(Type.String()),
    detail: Type.String(),
  },
  {
    description:
      'With `include=data`, in place of `current_data`: the damaged record because of which the document cannot be read',
  },
);

export const StateSummary = Type.Object({
  ...envelope,
  current_data: Type.Optional(JsonRecord),
  damaged: Type.Optional(ListedDamage),
});
export type StateSummary = Static<typeof StateSummary>;

export const StateAtPointer = Type.Object({
  state_id: Type.String(),
  version: Version,
  pointer: Pointer,
  value: Json,
});
export type StateAtPointer = Static<typeof StateAtPointer>;

export const StateListQuery = Type.Object(
  {
    ...pageQuery,
    order: Type.Optional(
      Type.Enum(['oldest', 'newest', 'changed'], {
        default: 'oldest',
        description: 'Which come first: by creation, or the last changed; a cursor belongs to its order',
      }),
    ),
    root_session: Type.Optional(Type.String()),
    search: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 128,
        description: 'The start of the name of a root session, or the id of a state',
      }),
    ),
    schema: Type.Optional(SchemaName),
    updated_since: Type.Optional(Timestamp),
    orphaned: Type.Optional(
      Type.Boolean({
        description: 'true: only those whose root session was deleted; false: only the others',
      }),
    ),
    include: Type.Optional(
      Type.Enum(['data'], {
        description:
          'data: with `current_data`, or `damaged` where it cannot be read; a page then ends at 4 MiB of documents',
      }),
    ),
  },
  closed,
);
export type StateListQuery = Static<typeof StateListQuery>;

export const StateGetQuery = Type.Object(
  {
    pointer: Type.Optional(Pointer),
    at_version: Type.Optional(Version),
    after_version: Type.Optional(Version),
    wait: Type.Optional(Wait),
  },
  closed,
);
export type StateGetQuery = Static<typeof StateGetQuery>;

/** A version, or `last_read`: the version that the calling session last read. */
export const BaseVersion = Type.Union([Type.Literal('last_read'), Version], {
  description: 'The version that the write was made on; `last_read`: the one that the session last read',
});
export type BaseVersion = Static<typeof BaseVersion>;

export const OnConflict = Type.Enum(['merge', 'reject', 'overwrite'], {
  description:
    'With `base_version`, where others wrote since: merge (a place that both changed is refused), reject (any write of others is), overwrite (the own change wins there)',
});
export type OnConflict = Static<typeof OnConflict>;

const onBase = { base_version: Type.Optional(BaseVersion), on_conflict: Type.Optional(OnConflict) };

export const StateReplace = Type.Object(
  { data: Document, expected_version: Type.Optional(Version), ...onBase },
  closed,
);
export type StateReplace = Static<typeof StateReplace>;

export const StatePatchEnvelope = Type.Object(
  { operations: JsonPatchToApply, expected_version: Type.Optional(Version), ...onBase },
  closed,
);
export type StatePatchEnvelope = Static<typeof StatePatchEnvelope>;

export const StateMigrate = Type.Object(
  {
    schema_version: Version,
    operations: Type.Optional(JsonPatchToApply),
    expected_version: Type.Optional(Version),
    allow_existing: Type.Optional(
      Type.Boolean({
        description: 'Lets values stay that the new version refuses and the operations do not touch',
      }),
    ),
  },
  closed,
);
export type StateMigrate = Static<typeof StateMigrate>;

export const WriteQuery = Type.Object({ dry_run: Type.Optional(Type.Boolean()), ...onBase }, closed);
export type WriteQuery = Static<typeof WriteQuery>;

export const DryRunQuery = Type.Object({ dry_run: Type.Optional(Type.Boolean()) }, closed);

/** The kind of write that created a version. */
export const EventKind = Type.Enum([
  'create',
  'replace',
  'json_patch',
  'merge_patch',
  'ops',
  'revert',
  'migrate',
  'key_set',
  'key_delete',
  'key_increment',
  'key_append',
  'key_patch',
  'key_batch',
  'on_behalf',
  'workflow',
]);

/** What shows that an event is as it was written. */
export const chained = {
  previous_hash: Type.String({ description: 'Hash of the event before; empty for the first one' }),
  hash: Type.String({ description: 'SHA-256 (hex) over the event, see docs/history-format.md' }),
  signature: Nullable(
    Type.String({ description: 'Key id and HMAC-SHA-256 of the hash; `null` without a signing secret' }),
  ),
};

export const EventView = Type.Object({
  event_id: Type.String(),
  version: Version,
  kind: EventKind,
  patch: JsonPatch,
  session_id: Nullable(Type.String()),
  run_id: Nullable(Type.String()),
  token_name: Nullable(Type.String({ description: 'Name of the token that wrote; `null` without one' })),
  tool_call_id: Type.Optional(
    Type.String({ description: 'The id that the MCP client gave to the call that wrote, where it told one' }),
  ),
  late: Type.Boolean(),
  from_schema_id: Type.Optional(
    Nullable(Type.String({ description: 'Of a migration: the schema version that it led away from' })),
  ),
  to_schema_id: Type.Optional(
    Type.String({ description: 'Of a migration: the schema version that holds from then on' }),
  ),
  created_at: Timestamp,
  ...chained,
});
export type EventView = Static<typeof EventView>;

/** Where a page of a history ends. */
export const historyPage = {
  has_more: Type.Boolean(),
  next_since: Type.Optional(
    Type.Integer({
      description: 'Only with `has_more`: the `since` of the next page. A page may hold no event',
    }),
  ),
};
export const EventList = Type.Object({ events: Type.Array(EventView), ...historyPage });
export type EventList = Static<typeof EventList>;

export const EventQuery = Type.Object(
  {
    since: Type.Optional(versionBefore('The version after which to begin; the oldest by default')),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
    key: Type.Optional(
      Type.String({ maxLength: 1024, description: 'Only writes that changed this top-level member' }),
    ),
    session: Type.Optional(
      Type.String({ maxLength: 512, description: 'Only writes of this session, by id or name' }),
    ),
  },
  closed,
);
export type EventQuery = Static<typeof EventQuery>;
