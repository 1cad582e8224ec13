// A loopback HTTP server for a stand-in: JSON in, server-sent events out.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ApiAnswer {
  readonly status: number;
  /** Named events of a stream; a whole body where it is a plain object. */
  readonly events?: readonly { readonly type: string; readonly [member: string]: unknown }[];
  /** Data of a stream whose events have no names. */
  readonly data?: readonly object[];
  readonly body?: unknown;
}

export interface StandIn {
  readonly url: string;
  close(): Promise<void>;
}

/** @param answer - Called for every POST with a JSON body; others are answered with 404, HEAD with 200. */
export async function openStandIn(answer: (path: string, body: any) => ApiAnswer | null): Promise<StandIn> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const given =
        request.method === 'POST'
          ? answer(request.url ?? '', JSON.parse(Buffer.concat(chunks).toString() || '{}'))
          : null;
      if (given === null) {
        response.writeHead(request.method === 'HEAD' ? 200 : 404).end();
      } else if (given.data !== undefined) {
        response.writeHead(given.status, { 'content-type': 'text/event-stream' });
        for (const one of given.data) response.write(`data: ${JSON.stringify(one)}\n\n`);
        response.end();
      } else if (given.events === undefined) {
        response.writeHead(given.status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(given.body));
      } else {
        response.writeHead(given.status, { 'content-type': 'text/event-stream' });
        for (const event of given.events) {
          response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
        }
        response.end();
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => closed(server) };
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
