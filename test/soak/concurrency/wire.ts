// Requests as clients of any make send them, over connections that are kept. It tells apart what a client can tell apart: an
// answer, a request whose answer was lost, and one that reached nobody. Nothing is ever sent again by itself.
import { Agent, request } from 'node:http';

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Hangs up after so many milliseconds, whatever has come of it. */
  readonly hangUpMs?: number | undefined;
}

export interface Answer {
  readonly kind: 'answer';
  readonly status: number;
  readonly etag: string | null;
  readonly headers: Readonly<Record<string, unknown>>;
  /** `null` where there was none. */
  readonly body: any;
  readonly invokedAt: number;
  readonly returnedAt: number;
}

export type Came = Answer | { readonly kind: 'lost'; readonly invokedAt: number } | { readonly kind: 'away' };

export class Wire {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 400 });
  requests = 0;

  constructor(private readonly port: number) {}

  send({ method, path, body, headers = {}, hangUpMs }: Sent): Promise<Came> {
    this.requests += 1;
    const text = body === undefined ? '' : JSON.stringify(body);
    const own =
      text === '' ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
    const invokedAt = performance.now();
    return new Promise((resolve) => {
      const options = { host: '127.0.0.1', port: this.port, agent: this.#agent, method, path };
      const sent = request({ ...options, headers: { ...own, ...headers } }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', fail);
        response.on('end', () => {
          clearTimeout(patience);
          const returnedAt = performance.now();
          const came = Buffer.concat(chunks).toString();
          const etag = response.headers.etag ?? null;
          resolve({
            kind: 'answer',
            ...{ status: response.statusCode ?? 0, etag, headers: response.headers },
            ...{ body: came === '' ? null : JSON.parse(came), invokedAt, returnedAt },
          });
        });
      });
      const fail = (error: Error) => {
        clearTimeout(patience);
        const refused = (error as NodeJS.ErrnoException).code === 'ECONNREFUSED';
        resolve(refused ? { kind: 'away' } : { kind: 'lost', invokedAt });
      };
      const patience = hangUpMs === undefined ? undefined : setTimeout(() => sent.destroy(), hangUpMs);
      sent.on('error', fail);
      sent.end(text);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
