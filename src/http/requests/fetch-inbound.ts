// A request in the form of Hono's context.
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { IncomingMessage } from 'node:http';
import type { Inbound } from './inbound.js';
import { hostOf, isHost } from './request-target.js';

/** What `listen` passes with each request; absent if the app is called in process. */
export interface Bindings extends Partial<HttpBindings> {
  /** Aborts when the server stops, so that waits answer at once. */
  readonly stopping?: AbortSignal;
}
export interface HttpEnv {
  Bindings: Bindings;
}

/** Hono's type claims that there is always an environment; in process there is none. */
function orNone(env: Bindings | undefined): Bindings {
  return env ?? {};
}

export class FetchInbound implements Inbound {
  readonly message: IncomingMessage | undefined;
  readonly stopping: AbortSignal | undefined;
  readonly #context: Context<HttpEnv>;

  constructor(context: Context<HttpEnv>) {
    this.#context = context;
    const { incoming, stopping } = orNone(context.env);
    this.message = incoming;
    this.stopping = stopping;
  }

  get method(): string {
    return this.#context.req.method;
  }

  get path(): string {
    return this.#context.req.path;
  }

  get decodable(): boolean {
    const [path = ''] = this.#context.req.raw.url.split('?', 1);
    try {
      decodeURIComponent(path);
      return true;
    } catch {
      return false;
    }
  }

  get search(): string | null {
    const { url } = this.#context.req;
    const at = url.indexOf('?');
    return at < 0 ? null : url.slice(at + 1);
  }

  /** In process there may be only the URL. */
  get host(): string | null {
    if (this.message !== undefined) return hostOf(this.message);
    const host = this.header('host') ?? new URL(this.#context.req.url).host;
    return isHost(host) ? host : null;
  }

  get gone(): AbortSignal {
    return this.#context.req.raw.signal;
  }

  header(name: string): string | null {
    return this.#context.req.raw.headers.get(name);
  }

  params() {
    return this.#context.req.param();
  }

  stream() {
    return this.#context.req.raw.body;
  }
}
