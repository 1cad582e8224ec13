// A real HTTP server on a free port that answers as a test says and remembers what it was asked.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface Reply {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

export interface HttpDouble {
  readonly url: string;
  readonly asked: Asked[];
  close(): Promise<void>;
}

/** `null` leaves a request without an answer; a string body is sent as it is. */
export async function startHttpDouble(
  answer: (asked: Asked) => Reply | null | Promise<Reply | null>,
): Promise<HttpDouble> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const one: Asked = {
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      };
      asked.push(one);
      void Promise.resolve(answer(one)).then((reply) => {
        if (reply === null) return;
        const text =
          reply.body === undefined || typeof reply.body === 'string'
            ? reply.body
            : JSON.stringify(reply.body);
        response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
        response.end(text);
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

export function problem(status: number, error: string, detail: string, members: object = {}): Reply {
  return {
    status,
    headers: { 'content-type': 'application/problem+json' },
    body: { type: `urn:countersign:error:${error}`, title: 'Title', status, detail, error, ...members },
  };
}
