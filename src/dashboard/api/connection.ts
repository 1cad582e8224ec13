// The typed client of this page, and whether its stream of changes is connected.
import { Countersign, type ClientOptions } from '../../client/index.js';

type Fetch = NonNullable<ClientOptions['fetch']>;

/** `closed`: the service wants a token, or another one. `unfollowed`: the token may not read the stream. */
export type Link = 'connecting' | 'live' | 'lost' | 'closed' | 'unfollowed';

const TOKEN = 'countersign.token';
const UNAUTHORIZED = 401;

/** False for what no header can carry, such as typographic quotes. A client throws on it. */
export function isSendable(token: string): boolean {
  return /^[\x20-\x7e]+$/.test(token);
}

/** The token of this tab. It is in the session storage alone: neither in the URL nor on disk. */
export const keptToken = {
  get: (): string | null => {
    const token = sessionStorage.getItem(TOKEN);
    return token !== null && isSendable(token) ? token : null;
  },
  set: (token: string): void => sessionStorage.setItem(TOKEN, token),
  remove: (): void => sessionStorage.removeItem(TOKEN),
};

/** One client with the state of its stream. */
export class Connection {
  readonly client: Countersign;
  #link: Link = 'connecting';
  #accepted = false;
  #wasLost = false;
  readonly #listeners = new Set<() => void>();

  constructor(token: string | null) {
    this.client = new Countersign({
      url: location.origin,
      ...(token === null ? {} : { token }),
      fetch: (url, request) => this.#fetch(url, request),
    });
  }

  readonly link = (): Link => this.#link;

  /** True once the service has answered a call with this token. */
  get accepted(): boolean {
    return this.#accepted;
  }

  /** True once the stream was lost, also when it is back. */
  get wasLost(): boolean {
    return this.#wasLost;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly set = (link: Link): void => {
    // Only another connection, with another token, ends that.
    if (link === this.#link || this.#link === 'closed') return;
    this.#link = link;
    if (link === 'lost') this.#wasLost = true;
    for (const listener of this.#listeners) listener();
  };

  /** The client reconnects by itself, so the state of its stream is seen here. Any call may find the token invalid. */
  async #fetch(url: string, request: Parameters<Fetch>[1]): ReturnType<Fetch> {
    const response = await this.#observed(url, request);
    if (response.status === UNAUTHORIZED) this.set('closed');
    if (response.ok) this.#accepted = true;
    return response;
  }

  async #observed(url: string, request: Parameters<Fetch>[1]): Promise<Response> {
    if (new URL(url).pathname !== '/stream') return fetch(url, request);
    const lost = () => {
      if (!request.signal.aborted) this.set('lost');
    };
    try {
      const response = await fetch(url, request);
      if (!response.ok || response.body === null) return response;
      this.set('live');
      return new Response(observed(response.body, lost), response);
    } catch (error) {
      lost();
      throw error;
    }
  }
}

/** The same bytes; tells when they end. */
function observed(body: ReadableStream<Uint8Array>, ended: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) {
          controller.enqueue(value);
          return;
        }
        ended();
        controller.close();
      } catch (error) {
        ended();
        controller.error(error);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
