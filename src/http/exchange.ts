// One request on its way through the door: what handlers may ask of it.
import type { HttpBindings } from '@hono/node-server';
import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';
import type { Actor } from '../domain/actor.js';
import { accepted, type Outcome } from '../domain/errors.js';
import type { Countersign } from '../ports/service.js';
import type { Door } from './door.js';
import type { TextMembers } from './validate.js';
import { withSignal } from './wait.js';

/** What `listen` hands to each request; absent where the app is called in process. */
export interface Bindings extends Partial<HttpBindings> {
  /** Ends when the server stops: waits answer at once. */
  readonly stopping?: AbortSignal;
}
export interface HttpEnv {
  Bindings: Bindings;
}

const BEARER = /^Bearer +([^\s]+) *$/i;

/** Hono's type says that there is always an environment; in process there is none. */
function orNone(env: Bindings | undefined): Bindings {
  return env ?? {};
}

export class Exchange {
  readonly door: Door;
  readonly request: Request;
  readonly requestId: string;
  readonly #context: Context<HttpEnv>;
  #answerHeaders: Record<string, string> | null = null;

  constructor(door: Door, context: Context<HttpEnv>, requestId: string) {
    this.door = door;
    this.#context = context;
    this.request = context.req.raw;
    this.requestId = requestId;
  }

  get method(): string {
    return this.request.method;
  }

  /** The request as Node has it, where it came over a socket. */
  get message(): IncomingMessage | undefined {
    return orNone(this.#context.env).incoming;
  }

  get path(): string {
    return this.#context.req.path;
  }

  /** A request header by its lower-case name. */
  header(name: string): string | null {
    return this.request.headers.get(name);
  }

  /** Headers that the answer gets whether it is a problem or not. */
  get answerHeaders(): Readonly<Record<string, string>> | null {
    return this.#answerHeaders;
  }

  answerHeader(name: string, value: string): void {
    this.#answerHeaders ??= {};
    this.#answerHeaders[name] = value;
  }

  /** The parameters in the path; `null` where there are none. */
  params(): TextMembers | null {
    return this.#context.req.param();
  }

  /** The members of the query string, `null` for none. */
  query(): TextMembers | null {
    const { url } = this.request;
    const at = url.indexOf('?');
    if (at < 0) return null;
    const members = new Map<string, string | string[]>();
    for (const [name, value] of new URLSearchParams(url.slice(at + 1))) {
      const before = members.get(name);
      if (before === undefined) members.set(name, value);
      else members.set(name, typeof before === 'string' ? [before, value] : [...before, value]);
    }
    return Object.fromEntries(members);
  }

  /** Asks the service who calls. */
  actor(): Promise<Outcome<Actor>> {
    const authorization = this.header('authorization');
    return this.door.host.identify({
      bearer: authorization === null ? null : (BEARER.exec(authorization)?.[1] ?? null),
      sessionId: this.header('x-agent-session-id'),
      sessionName: this.header('x-agent-session-name'),
    });
  }

  /** The service as the caller sees it. */
  async identify(): Promise<Outcome<Countersign>> {
    const actor = await this.actor();
    return actor.ok ? accepted(this.door.host.as(actor.value)) : actor;
  }

  /** Waits with a signal that ends when the caller goes away or the server stops. */
  waiting<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { stopping } = orNone(this.#context.env);
    const { signal } = this.request;
    return withSignal(stopping === undefined ? [signal] : [signal, stopping], work);
  }
}
