// A route as data: its handler, and everything that registration, validation and the OpenAPI document need.
import { Type, type Static, type TSchema } from 'typebox';
import { ok, invalidMember, fail, type ErrorCode, type Result, type Failure } from '../domain/errors.js';
import { closed, Name } from '../ports/api/index.js';
import type { Countersign } from '../ports/service.js';
import { after, type MaybePromise } from '../ports/maybe-promise.js';
import { OPEN_LOOPBACK, type Actor } from '../domain/access/actor.js';
import type { RequestContext } from './requests/request-context.js';
import { keyOf, once } from './once.js';
import { refuseConditions } from './preconditions.js';
import { acceptBody, type Body, type BodyReader } from './requests/media.js';
import type { Reply } from './replies/reply.js';
import type { Compiler } from './requests/validation/validate.js';

/** For routes without parameters of a kind: any parameter is unknown. */
export const Nothing = Type.Object({}, closed);

/** One id, or a name if the resource has names. */
export const ById = Type.Object({ id: Name }, closed);

/** The headers of a read whose answer has an entity tag. */
export const READ_CONDITIONS = {
  'If-Match': 'The answer is wanted only where its `ETag` is one of these; * for any',
  'If-None-Match': 'What the caller has, as in `ETag`: 304 where that is the answer',
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
  readonly headers?: Readonly<Record<string, string>>;
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

/** One accepted content type with its schema. */
interface BodySpec {
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

/** A validated request, as its handler gets it. */
interface Call<P, Q> {
  readonly params: P;
  readonly query: Q;
  readonly context: RequestContext;
}
export interface CallerCall<P, Q> extends Call<P, Q> {
  readonly actor: Actor;
  /** The service on behalf of the caller. */
  readonly service: Countersign;
  /**
   * Set if the session in the caller's headers does not exist, so that the caller counts as anonymous. `null`
   * if the caller is known, and on every route without `beforeSession`.
   */
  readonly unknownSession: Failure | null;
}

type Handle<C> = (call: C) => MaybePromise<Result<Reply>>;
type HandleBody<C, B> = (call: C, body: B) => MaybePromise<Result<Reply>>;

/** A content type with the handler of its bodies. */
interface BodyHandler<C> extends BodySpec {
  readonly bind: (
    compiler: Compiler,
  ) => (call: C, value: unknown, bytes: number) => MaybePromise<Result<Reply>>;
}

/** Adds a handler for one content type of a route. */
type OnBody<C> = <B extends TSchema>(
  contentType: string,
  schema: B,
  handle: HandleBody<C, Static<B>>,
  optional?: boolean,
) => BodyHandler<C>;

function onBody<C>(): OnBody<C> {
  return (contentType, schema, handle, optional = false) => ({
    contentType,
    schema,
    optional,
    bind(compiler) {
      const check = compiler.body(schema);
      return (call, value, bytes) => {
        const body = check(value, bytes);
        return body.ok ? handle(call, body.value) : body;
      };
    },
  });
}

function unknownSessionOf(actor: Result<Actor>): Failure | null {
  return !actor.ok && actor.failure.error === 'session_not_found' ? actor.failure : null;
}

const NO_BODY = Buffer.alloc(0);
const JSON_PATCH = 'application/json-patch+json';

/** The ways to complete a route. */
interface Endpoint<P, Q> {
  /** A route without a body. */
  answer(handle: Handle<CallerCall<P, Q>>): Route;
  /** A route with a JSON body. An `optional` one may be absent and is then `{}`. */
  json<B extends TSchema>(
    schema: B,
    handle: HandleBody<CallerCall<P, Q>, Static<B>>,
    optional?: boolean,
  ): Route;
  /** A route that accepts several content types. */
  bodies(list: (on: OnBody<CallerCall<P, Q>>) => readonly BodyHandler<CallerCall<P, Q>>[]): Route;
  /** A route that answers anyone. */
  open(handle: Handle<Call<P, Q>>): Route;
}

/** Starts the definition of a route. */
export function endpoint<P extends TSchema, Q extends TSchema>(
  spec: RouteSpec<P, Q>,
): Endpoint<Static<P>, Static<Q>> {
  type Checked = Call<Static<P>, Static<Q>>;
  type Caller = CallerCall<Static<P>, Static<Q>>;

  function checker(compiler: Compiler): (context: RequestContext) => Result<Checked> {
    const checkParams = compiler.text(spec.params, 'path');
    const checkQuery = compiler.text(spec.query, 'query');
    const conditions = spec.method === 'GET' ? null : refuseConditions(Object.keys(spec.headers ?? {}));
    const allowed = ['GET', 'OPTIONS'];
    return (context) => {
      if (spec.head === false && context.method === 'HEAD') {
        context.answerHeader('allow', allowed.join(', '));
        return fail('method_not_allowed', 'GET removes what it returns, so HEAD is not allowed', {
          allowed,
        });
      }
      if (!context.inbound.decodable) {
        return invalidMember('/path', 'is not percent-encoded UTF-8', 'such as %C3%A9 for é, and %25 for %');
      }
      if (!context.queryIsDecodable) {
        return invalidMember('/query', 'is not percent-encoded UTF-8', 'such as %C3%A9 for é, and %25 for %');
      }
      const params = checkParams(context.params());
      if (!params.ok) return params;
      const query = checkQuery(context.query());
      if (!query.ok) return query;
      const condition = conditions?.((name) => context.header(name)) ?? null;
      if (condition !== null) return condition;
      return ok({ params: params.value, query: query.value, context });
    };
  }

  /** Identifies the caller first, so that strangers do not learn what a valid request is. */
  function asCaller(compiler: Compiler, handle: Handle<Caller>): Bound {
    const check = checker(compiler);
    return (context) =>
      after(context.actor(), (known) => {
        const unknownSession = spec.beforeSession === true ? unknownSessionOf(known) : null;
        const actor = unknownSession === null ? known : ok(OPEN_LOOPBACK);
        if (!actor.ok) return actor;
        const call = check(context);
        if (!call.ok) return call;
        const { params, query } = call.value;
        const service = context.serviceFor(actor.value);
        return handle({ params, query, context, actor: actor.value, service, unknownSession });
      });
  }

  function withBodies(handlers: readonly BodyHandler<Caller>[]): Route {
    const read: BodyReader = acceptBody(spec.method, handlers);
    const takesPatch = handlers.some(({ contentType }) => contentType === JSON_PATCH);
    return {
      ...spec,
      access: 'caller',
      bodies: handlers,
      bind(compiler) {
        const bound = handlers.map((handler) => handler.bind(compiler));
        const taken = (call: Caller, body: Result<Body>): MaybePromise<Result<Reply>> => {
          if (!body.ok) return body;
          const { index, value, raw } = body.value;
          const handle = bound[index];
          if (handle === undefined) throw new Error('A body was read for a content type without handler');
          if (takesPatch && handlers[index]?.contentType === 'application/json' && Array.isArray(value)) {
            return invalidMember('', 'is an array, which goes with another content type', {
              'content-type': JSON_PATCH,
            });
          }
          const key = spec.keyed === false ? null : keyOf(call.context);
          if (key === null) return handle(call, value, raw.length);
          return once(call.context, call.actor, key, raw, (service) =>
            handle({ ...call, service }, value, raw.length),
          );
        };
        return asCaller(compiler, (call) => after(read(call.context), (body) => taken(call, body)));
      },
    };
  }

  return {
    answer: (handle) => ({
      ...spec,
      access: 'caller',
      bodies: [],
      bind: (compiler) =>
        asCaller(compiler, (call) => {
          const key = keyOf(call.context);
          if (key === null) return handle(call);
          return once(call.context, call.actor, key, NO_BODY, (service) => handle({ ...call, service }));
        }),
    }),
    json: (schema, handle, optional) =>
      withBodies([onBody<Caller>()('application/json', schema, handle, optional)]),
    bodies: (list) => withBodies(list(onBody<Caller>())),
    open: (handle) => ({
      ...spec,
      access: 'open',
      bodies: [],
      bind(compiler) {
        const check = checker(compiler);
        return (context) => {
          const call = check(context);
          return call.ok ? handle(call.value) : call;
        };
      },
    }),
  };
}
