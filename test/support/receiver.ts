// Somebody who is sent webhooks: a real HTTP server on the loopback that remembers what came and answers as it is told.
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from './eventually.js';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The body, parsed. */
  readonly json: { type: string; timestamp: string; data: Record<string, any> };
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** `hang` never answers. */
export type Script = (received: Received, count: number) => Answer | 'hang';

export class Receiver {
  readonly received: Received[] = [];
  script: Script = () => ({ status: 204 });
  readonly #hanging = new Set<ServerResponse>();

  private constructor(private readonly server: Server) {}

  static async open(): Promise<Receiver> {
    const server = createServer();
    const receiver = new Receiver(server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('error', () => undefined);
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        const one = { path: request.url ?? '', headers: request.headers, body, json: JSON.parse(body) };
        receiver.received.push(one);
        const answer = receiver.script(one, receiver.received.length);
        if (answer === 'hang') receiver.#hanging.add(response);
        else response.writeHead(answer.status, answer.headers).end(answer.body ?? '');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  url(path = '/hook', host = '127.0.0.1'): string {
    return `http://${host}:${String(this.port)}${path}`;
  }

  /** Waits until so many messages came. */
  got(count: number): Promise<readonly Received[]> {
    return eventually(
      `${String(count)} messages`,
      () => this.received.length >= count && this.received,
      10_000,
    );
  }

  async close(): Promise<void> {
    for (const response of this.#hanging) response.destroy();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
