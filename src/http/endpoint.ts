// Completes a route: validates its requests, identifies their callers, and calls its handlers.
import type { Static, TSchema } from 'typebox';
import { OPEN_LOOPBACK, type Actor } from '../domain/access/actor.js';
import { ok, invalidMember, fail, type Failure, type Result } from '../domain/errors.js';
import { after, type MaybePromise } from '../lib/maybe-promise.js';
import type { Countersign } from '../ports/service.js';
import { keyOf, once } from './once.js';
import { refuseConditions } from './preconditions.js';
import type { Reply } from './replies/reply.js';
import { acceptBody, type Body, type BodyReader } from './requests/media.js';
import type { RequestContext } from './requests/request-context.js';
import type { Compiler } from './requests/validation/validate.js';
import {
  Nothing,
  type BodySpec,
  type Bound,
  type Route,
  type RouteDefinition,
  type RouteSpec,
} from './route.js';

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

type Checked<P extends TSchema, Q extends TSchema> = Call<Static<P>, Static<Q>>;
type Caller<P extends TSchema, Q extends TSchema> = CallerCall<Static<P>, Static<Q>>;

/** Starts the definition of a route. */
export function endpoint<P extends TSchema = typeof Nothing, Q extends TSchema = typeof Nothing>(
  definition: RouteDefinition<P, Q>,
): Endpoint<Static<P>, Static<Q>> {
  // By their defaults, P and Q are the type of `Nothing` where they are absent.
  const spec = { params: Nothing, query: Nothing, errors: [], ...definition } as RouteSpec<P, Q>;
  return {
    answer: (handle) => ({
      ...spec,
      access: 'caller',
      bodies: [],
      bind: (compiler) =>
        asCaller(spec, compiler, (call) => {
          const key = keyOf(call.context);
          if (key === null) return handle(call);
          return once(call.context, call.actor, key, NO_BODY, (service) => handle({ ...call, service }));
        }),
    }),
    json: (schema, handle, optional) =>
      withBodies(spec, [onBody<Caller<P, Q>>()('application/json', schema, handle, optional)]),
    bodies: (list) => withBodies(spec, list(onBody<Caller<P, Q>>())),
    open: (handle) => ({
      ...spec,
      access: 'open',
      bodies: [],
      bind(compiler) {
        const check = checkerOf(spec, compiler);
        return (context) => {
          const call = check(context);
          return call.ok ? handle(call.value) : call;
        };
      },
    }),
  };
}

/** Checks everything of a request but its caller and its body. */
function checkerOf<P extends TSchema, Q extends TSchema>(
  spec: RouteSpec<P, Q>,
  compiler: Compiler,
): (context: RequestContext) => Result<Checked<P, Q>> {
  const checkParams = compiler.text(spec.params, 'path');
  const checkQuery = compiler.text(spec.query, 'query');
  const conditions = spec.method === 'GET' ? null : refuseConditions(Object.keys(spec.headers ?? {}));
  return (context) => {
    const unreadable = refuseHead(spec, context) ?? refuseUndecodable(context);
    if (unreadable !== null) return unreadable;
    const params = checkParams(context.params());
    if (!params.ok) return params;
    const query = checkQuery(context.query());
    if (!query.ok) return query;
    const condition = conditions?.((name) => context.header(name)) ?? null;
    if (condition !== null) return condition;
    return ok({ params: params.value, query: query.value, context });
  };
}

const WITHOUT_HEAD = ['GET', 'OPTIONS'];

function refuseHead({ head }: RouteSpec<TSchema, TSchema>, { method }: RequestContext): Result<never> | null {
  if (head !== false || method !== 'HEAD') return null;
  return fail('method_not_allowed', 'GET removes what it returns, so HEAD is not allowed', {
    allowed: WITHOUT_HEAD,
  });
}

function refuseUndecodable({ inbound, queryIsDecodable }: RequestContext): Result<never> | null {
  if (inbound.decodable && queryIsDecodable) return null;
  const part = inbound.decodable ? '/query' : '/path';
  return invalidMember(part, 'is not percent-encoded UTF-8', 'such as %C3%A9 for é, and %25 for %');
}

/** Identifies the caller first, so that strangers do not learn what a valid request is. */
function asCaller<P extends TSchema, Q extends TSchema>(
  spec: RouteSpec<P, Q>,
  compiler: Compiler,
  handle: Handle<Caller<P, Q>>,
): Bound {
  const check = checkerOf(spec, compiler);
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

function withBodies<P extends TSchema, Q extends TSchema>(
  spec: RouteSpec<P, Q>,
  handlers: readonly BodyHandler<Caller<P, Q>>[],
): Route {
  const read: BodyReader = acceptBody(spec.method, handlers);
  const takesPatch = handlers.some(({ contentType }) => contentType === JSON_PATCH);
  return {
    ...spec,
    access: 'caller',
    bodies: handlers,
    bind(compiler) {
      const bound = handlers.map((handler) => handler.bind(compiler));
      const handleBody = (call: Caller<P, Q>, body: Result<Body>): MaybePromise<Result<Reply>> => {
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
      return asCaller(spec, compiler, (call) => after(read(call.context), (body) => handleBody(call, body)));
    },
  };
}
