// Wire contract of workflow schemas.
import { Type, type Static } from 'typebox';
import { closed, Json, JsonRecord, Nullable, pageQuery, Timestamp, Version, Violation } from './common.js';
import { jsonSchema } from './states/patches.js';

export const SchemaName = Type.String({
  pattern: '^[a-z0-9][a-z0-9._-]{0,127}$',
  description: 'Up to 128 lower-case letters, digits and . _ -, a letter or digit first',
});
/** Which compatibility the versions of a name must have. */
export const Compatibility = Type.Enum([
  'none',
  'backward',
  'forward',
  'full',
  'backward_transitive',
  'forward_transitive',
  'full_transitive',
]);

export const SchemaRegister = Type.Object(
  {
    name: SchemaName,
    json_schema: jsonSchema('JSON Schema that the documents have to satisfy'),
    description: Type.Optional(Nullable(Type.String({ maxLength: 4096 }))),
    compatibility: Type.Optional(Compatibility),
  },
  closed,
);
export type SchemaRegister = Static<typeof SchemaRegister>;

export const SchemaView = Type.Object({
  schema_id: Type.String(),
  name: SchemaName,
  version: Version,
  json_schema: JsonRecord,
  description: Nullable(Type.String()),
  compatibility: Compatibility,
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type SchemaView = Static<typeof SchemaView>;

export const SchemaRegisterQuery = Type.Object({ dry_run: Type.Optional(Type.Boolean()) }, closed);
export type SchemaRegisterQuery = Static<typeof SchemaRegisterQuery>;

export const SchemaDifference = Type.Object({
  direction: Type.Enum(['backward', 'forward'], {
    description: 'backward: the new schema refuses what the version accepts; forward: the other way',
  }),
  version: Version,
  pointer: Type.String({ description: 'Place of the rule in the schema that refuses' }),
  rule: Type.String(),
  message: Type.String(),
});
export type SchemaDifference = Static<typeof SchemaDifference>;

/** What a registration would do. */
export const SchemaDryRun = Type.Object({
  would_create_version: Nullable(Version),
  compatibility: Type.Object({
    mode: Compatibility,
    verdict: Type.Enum(['compatible', 'incompatible', 'unknown']),
    differences: Type.Array(SchemaDifference),
  }),
  live_states: Type.Object({
    checked: Type.Integer(),
    all: Type.Boolean({ description: 'False where there are more states than one dry run looks at' }),
    failing_count: Type.Integer(),
    failing: Type.Array(
      Type.Object({ state_id: Type.String(), version: Version, errors: Type.Array(Violation) }),
    ),
  }),
});
export type SchemaDryRun = Static<typeof SchemaDryRun>;

export const SchemaValidate = Type.Object({ data: Json }, closed);
export type SchemaValidate = Static<typeof SchemaValidate>;

/** What the first version of a state with this document would come to. */
export const SchemaValidation = Type.Object({
  schema_name: SchemaName,
  schema_version: Version,
  valid: Type.Boolean(),
  errors: Type.Array(Violation),
});
export type SchemaValidation = Static<typeof SchemaValidation>;

export const SchemaListQuery = Type.Object({ ...pageQuery, name: Type.Optional(SchemaName) }, closed);
export type SchemaListQuery = Static<typeof SchemaListQuery>;
export const SchemaGetQuery = Type.Object({ version: Type.Optional(Version) }, closed);
export type SchemaGetQuery = Static<typeof SchemaGetQuery>;
