// Building blocks of the wire contract: JSON Schemas (2020-12). They validate requests, describe them in
// OpenAPI and provide the TypeScript types. Names are the wire's own (snake_case).
import { Type, type Static, type TSchema } from 'typebox';
import type { JsonObject, JsonValue } from '../../domain/json/json.js';

/** All JSON types. */
export const JSON_TYPES = ['object', 'array', 'string', 'number', 'boolean', 'null'] as const;
/** Any JSON value. */
export const Json = Type.Unsafe<JsonValue>({
  type: [...JSON_TYPES],
  description: 'Any JSON value',
});
/** Any JSON object. */
export const JsonRecord = Type.Unsafe<JsonObject>({ type: 'object' });
/** RFC 3339, UTC, with milliseconds. */
export const Timestamp = Type.String({ format: 'date-time' });
export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
export const Pointer = Type.String({
  pattern: '^(/([^~/]|~[01])*)*$',
  maxLength: 2048,
  description: 'JSON Pointer (RFC 6901): empty for the whole, else each name after a /, such as /tasks/0',
});
/** A name that people and agents choose. */
export const Name = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}$',
  description: 'Up to 128 letters, digits and . _ : @ -, a letter or digit first',
});
/** Beyond it, neighboring integers are one double, and no database holds all of them. */
const VERSION_MAX = Number.MAX_SAFE_INTEGER;
export const Version = Type.Integer({ minimum: 1, maximum: VERSION_MAX });
/** A version after which to begin; 0 is before the first one. */
export const versionBefore = (description: string) =>
  Type.Integer({ minimum: 0, maximum: VERSION_MAX, description });
export const closed = { additionalProperties: false } as const;

export const Violation = Type.Object({
  pointer: Type.String(),
  keyword: Type.String(),
  message: Type.String(),
  expected: Json,
});

/** Warnings of a write reply; absent if there are none. */
export const Warnings = Type.Array(Violation, {
  description: 'Values that the schema refuses and a migration left in place; absent if there are none',
});

/** A problem document (RFC 9457) with a stable `error` code. */
export const Problem = Type.Object({
  type: Type.String(),
  title: Type.String(),
  status: Type.Integer(),
  detail: Type.String(),
  error: Type.String(),
  retryable: Type.Boolean({ description: 'Whether the same request can succeed later, as it is' }),
  request_id: Type.String({ description: 'As in X-Request-Id: the log has more under it' }),
  errors: Type.Optional(Type.Array(Violation)),
});

/** A list reply. `next_cursor` is opaque, and null on the last page. */
export const PageOf = <T extends TSchema>(item: T) =>
  Type.Object({ items: Type.Array(item), next_cursor: Nullable(Type.String()) });

export interface Listed<T> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
}

/** Query parameters of every list. */
export const pageQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1000,
      default: 100,
      description:
        'Items of a page, at most; it may hold fewer, and is the last where `next_cursor` is null. Items that may be large end a page once they come to 4 MiB',
    }),
  ),
  cursor: Type.Optional(Type.String({ maxLength: 512, description: '`next_cursor` of the page before' })),
};

/** Also of the lists that can be read from either end. */
export const orderedPageQuery = {
  ...pageQuery,
  order: Type.Optional(
    Type.Enum(['oldest', 'newest'], {
      default: 'oldest',
      description: 'Which come first, by creation; a cursor belongs to its order',
    }),
  ),
};

export const PageQuery = Type.Object(pageQuery, closed);
export type PageQuery = Static<typeof PageQuery>;
