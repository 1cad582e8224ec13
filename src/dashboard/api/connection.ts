// The typed client of this page, and whether its stream of changes is connected.
import { Countersign, type ClientOptions } from '../../client/index.js';

type Fetch = NonNullable<ClientOptions['fetch']>;

export type Link = 'connecting' | 'live' | 'lost';

const TOKEN = 'countersign.token';

/** The token of this tab. It is in the session storage alone: neither in the URL nor on disk. */
export const keptToken = {
  get: (): string | null => sessionStorage.getItem(TOKEN),
  set: (token: string): void => sessionStorage.setItem(TOKEN, token),
  remove: (): void => sessionStorage.removeItem(TOKEN),
};

/** One client with the state of its stream. */
export class Connection {
  readonly client: Countersign;
  #link: Link = 'connecting';
  readonly #listeners = new Set<() => void>();

  constructor(token: string | null) {
    this.client = new Countersign({
      url: location.origin,
      ...(token === null ? {} : { token }),
      fetch: (url, request) => this.#fetch(url, request),
    });
  }

  readonly link = (): Link => this.#link;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly set = (link: Link): void => {
    if (link === this.#link) return;
    this.#link = link;
    for (const listener of this.#listeners) listener();
  };

  /** The client reconnects by itself, so the state of its stream is seen here. */
  async #fetch(url: string, request: Parameters<Fetch>[1]): ReturnType<Fetch> {
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
