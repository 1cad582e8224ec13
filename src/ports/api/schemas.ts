// Wire contract of workflow schemas.
import { Type, type Static } from 'typebox';
import { closed, Json, JsonRecord, Nullable, pageQuery, Timestamp, Version } from './common.js';

export const SchemaName = Type.String({ pattern: '^[a-z0-9][a-z0-9._-]{0,127}$' });
/** Only `none` as yet: the service does not compare versions. */
export const Compatibility = Type.Enum(['none']);

export const SchemaRegister = Type.Object(
  {
    name: SchemaName,
    json_schema: Json,
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

export const SchemaListQuery = Type.Object({ ...pageQuery, name: Type.Optional(SchemaName) }, closed);
export type SchemaListQuery = Static<typeof SchemaListQuery>;
export const SchemaGetQuery = Type.Object({ version: Type.Optional(Version) }, closed);
export type SchemaGetQuery = Static<typeof SchemaGetQuery>;
