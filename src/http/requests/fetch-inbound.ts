// A request in the form of Hono's context: over a socket with Node's message, or in process without.
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { IncomingMessage } from 'node:http';
import type { Inbound } from './inbound.js';
import { hostOf, isHost } from './request-target.js';

/** What `listen` passes with each request; absent if the app is called in process. */
interface Bindings extends Partial<HttpBindings> {
  /** Aborts when the server stops, so that waits answer at once. */
  readonly stopping?: AbortSignal;
  /** True if Hono's server does not send the answer, see `ownRequest`. */
  readonly isOwn?: boolean;
}
export interface HttpEnv {
  Bindings: Bindings;
}

/** Hono's type claims that there is always an environment; in process there is none. */
export function bindingsOf({ env }: { readonly env: Bindings | undefined }): Bindings {
  return env ?? {};
}

/** A header of Node's message. Several headers of one name are joined. */
export function headerOf({ headers }: IncomingMessage, name: string): string | null {
  const value = headers[name];
  return typeof value === 'string' ? value : (value?.join(', ') ?? null);
}

export class FetchInbound implements Inbound {
  readonly message: IncomingMessage | undefined;
  readonly stopping: AbortSignal | undefined;
  readonly #context: Context<HttpEnv>;

  constructor(context: Context<HttpEnv>) {
    this.#context = context;
    const { incoming, stopping } = bindingsOf(context);
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
    const { url } = this.#context.req;
    if (!url.includes('%')) return true;
    const [path = ''] = url.split('?', 1);
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
    return this.message === undefined
      ? this.#context.req.raw.headers.get(name)
      : headerOf(this.message, name);
  }

  params() {
    return this.#context.req.param();
  }

  stream() {
    return this.#context.req.raw.body;
  }
}
