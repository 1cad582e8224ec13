// A route as data: everything that registration, validation and the OpenAPI document need. See endpoint.ts for how its
// requests are validated and handled.
import { Type, type TSchema } from 'typebox';
import type { ErrorCode, Result } from '../domain/errors.js';
import { closed, Name } from '../ports/api/index.js';
import type { MaybePromise } from '../lib/maybe-promise.js';
import type { RequestContext } from './requests/request-context.js';
import type { Reply } from './replies/reply.js';
import type { Compiler } from './requests/validation/validate.js';

/** Of routes without parameters of a kind: any parameter is unknown. */
export const Nothing = Type.Object({}, closed);

/** One id, or a name if the resource has names. */
export const ById = Type.Object({ id: Name }, closed);

/** What an operation reads a request header for, and the pattern of its values if that is not the usual one. */
export type HeaderUse = string | { readonly description: string; readonly pattern: string };

/** The headers of a read whose answer has an entity tag. */
export const READ_CONDITIONS = {
  'If-Match': 'The answer is wanted only where its `ETag` is one of these; * for any',
  'If-None-Match': {
    description:
      'What the caller has, as in `ETag`: 304 where that is the answer. Anything but tags and * is passed over',
    pattern: '',
  },
} as const;

export interface ReplySpec {
  readonly description: string;
  /** Absent if the answer has no body. */
  readonly schema?: TSchema;
  /** Instead of `schema`, if the answer has one of several forms. */
  readonly anyOf?: readonly TSchema[];
  /** `application/json` by default. */
  readonly contentType?: string;
  /** True if the answer has the state's version as `ETag`. */
  readonly etag?: boolean;
  /** True if the answer has the URL of the new resource as `Location`. */
  readonly location?: boolean;
  /** Names of headers that only this answer has. */
  readonly headers?: readonly string[];
  /** A second content type that the answer may have, with its schema. */
  readonly other?: { readonly contentType: string; readonly schema: TSchema };
}

export interface RouteSpec<P extends TSchema, Q extends TSchema> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With parameters as in OpenAPI: `/runs/{id}`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly tag: string;
  readonly params: P;
  readonly query: Q;
  /** Request headers that the operation reads besides the common ones. */
  readonly headers?: Readonly<Record<string, HeaderUse>>;
  /** False if `GET` removes what it returns, so that `HEAD` is not allowed. */
  readonly head?: false;
  /** False if the route ignores an `Idempotency-Key`. */
  readonly keyed?: boolean;
  /** True if the handler itself answers a session that does not exist yet: see `unknownSession`. */
  readonly beforeSession?: boolean;
  readonly answers: Readonly<Record<number, ReplySpec>>;
  /** Codes of this operation besides those that all operations have. */
  readonly errors: readonly ErrorCode[];
}

/** A route as it is defined. Absent parameters are {@link Nothing}, and absent errors are none. */
export type RouteDefinition<P extends TSchema, Q extends TSchema> = Partial<RouteSpec<P, Q>> &
  Omit<RouteSpec<P, Q>, 'params' | 'query' | 'errors'>;

/** One accepted content type with its schema. */
export interface BodySpec {
  readonly contentType: string;
  readonly schema: TSchema;
  readonly optional: boolean;
}

/** The compiled route. */
export type Bound = (context: RequestContext) => MaybePromise<Result<Reply>>;

export interface Route extends RouteSpec<TSchema, TSchema> {
  /** `open` routes do not identify the caller. */
  readonly access: 'caller' | 'open';
  readonly bodies: readonly BodySpec[];
  /** Compiles the schemas; once per app. */
  readonly bind: (compiler: Compiler) => Bound;
}
