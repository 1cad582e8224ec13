// Wire contract of the key view: the top-level members of a document, each with its own version.
import { Type, type Static } from 'typebox';
import { closed, Json, JsonRecord, Nullable, Timestamp, Version, Warnings } from '../common.js';
import { SchemaName } from '../schemas.js';
import { BaseVersion, historyPage, OnConflict } from './states.js';

/** Name of a top-level member. It is percent-encoded in a path. */
export const Key = Type.String({
  minLength: 1,
  maxLength: 512,
  pattern: '^(?!(__proto__|constructor|prototype)$)',
  description: 'Name of a top-level member, none of __proto__, constructor and prototype',
});

export const KeyStateOpen = Type.Object(
  { initial_state: JsonRecord, schema_name: Type.Optional(SchemaName) },
  closed,
);
export type KeyStateOpen = Static<typeof KeyStateOpen>;

const facts = {
  version: Type.Integer({ minimum: 1, description: 'Version of the state that the key last changed with' }),
  updated_at: Timestamp,
  updated_by: Nullable(Type.String()),
};
const address = { root_session_id: Type.String(), state_id: Type.String(), key: Type.String() };

export const KeysView = Type.Object({
  root_session_id: Type.String(),
  state_id: Type.String(),
  keys: Type.Record(Type.String(), Type.Object({ value: Json, ...facts })),
  global_version: Version,
});
export type KeysView = Static<typeof KeysView>;

export const KeyView = Type.Object({ ...address, value: Json, ...facts });
export type KeyView = Static<typeof KeyView>;

/**
 * A key and the version of its state. HTTP sends that version in a header, so that the body does not change
 * when another key is written.
 */
export type KeyRead = KeyView & { readonly global_version: number };

export const KeyWritten = Type.Object({
  ...address,
  value: Type.Optional(Json),
  version: Type.Optional(facts.version),
  updated_at: Type.Optional(Timestamp),
  updated_by: Type.Optional(Nullable(Type.String())),
  changed: Type.Boolean(),
  created: Type.Optional(Type.Boolean({ description: 'True where the write made the key' })),
  global_version: Version,
  merged: Type.Optional(
    Type.Boolean({
      description: 'With `base_version`: whether the state has changes of others that the base did not have',
    }),
  ),
  warnings: Type.Optional(Warnings),
});
export type KeyWritten = Static<typeof KeyWritten>;

/** The base of a write that sets or removes a key. */
export const KeyBaseQuery = Type.Object(
  { base_version: Type.Optional(BaseVersion), on_conflict: Type.Optional(OnConflict) },
  closed,
);

export const KeyPut = Type.Object({ value: Json }, closed);

export const KeyOperation = Type.Union([
  Type.Object({ operation: Type.Literal('increment'), delta: Type.Number() }, closed),
  Type.Object({ operation: Type.Literal('append'), items: Type.Array(Json) }, closed),
  Type.Object({ operation: Type.Literal('merge'), patch: JsonRecord }, closed),
]);
export type KeyOperation = Static<typeof KeyOperation>;

const IfMatch = Type.Union([Type.Integer({ minimum: 0 }), Type.Literal('*')], {
  description: "The key's version; 0 where it must not be there yet, * where it must be there in any version",
});

export const KeyBatch = Type.Object(
  {
    operations: Type.Array(
      Type.Union([
        Type.Object(
          { op: Type.Literal('set'), key: Key, value: Json, if_match: Type.Optional(IfMatch) },
          closed,
        ),
        Type.Object({ op: Type.Literal('delete'), key: Key, if_match: Type.Optional(IfMatch) }, closed),
      ]),
      { minItems: 1 },
    ),
  },
  closed,
);
export type KeyBatch = Static<typeof KeyBatch>;

export const KeyBatchResult = Type.Object({
  applied: Type.Boolean(),
  changed: Type.Boolean(),
  results: Type.Array(Type.Object({ key: Type.String(), op: Type.String(), status: Type.String() })),
  global_version: Version,
  warnings: Type.Optional(Warnings),
});
export type KeyBatchResult = Static<typeof KeyBatchResult>;

export const KeyEvent = Type.Object({
  event_id: Type.String(),
  version: Version,
  type: Type.Enum(['set', 'delete', 'patch', 'increment', 'append', 'full_replace']),
  key: Nullable(Type.String()),
  value: Type.Optional(Json),
  items: Type.Optional(Json),
  patch: Type.Optional(Json),
  session_id: Nullable(Type.String()),
  run_id: Nullable(Type.String()),
  created_at: Timestamp,
});
export type KeyEvent = Static<typeof KeyEvent>;

export const KeyEventList = Type.Object({ events: Type.Array(KeyEvent), ...historyPage });
export type KeyEventList = Static<typeof KeyEventList>;

const onKey = { key: Key, if_match: Type.Optional(Version) };

export const KeyEventAppend = Type.Union([
  Type.Object({ type: Type.Literal('set'), ...onKey, value: Json }, closed),
  Type.Object({ type: Type.Literal('delete'), ...onKey }, closed),
  Type.Object({ type: Type.Literal('patch'), ...onKey, patch: JsonRecord }, closed),
  Type.Object({ type: Type.Literal('increment'), ...onKey, delta: Type.Number() }, closed),
  Type.Object({ type: Type.Literal('append'), ...onKey, items: Type.Array(Json) }, closed),
  Type.Object(
    {
      type: Type.Literal('full_replace'),
      value: JsonRecord,
      base_version: Type.Optional(BaseVersion),
      on_conflict: Type.Optional(OnConflict),
    },
    closed,
  ),
]);
export type KeyEventAppend = Static<typeof KeyEventAppend>;
