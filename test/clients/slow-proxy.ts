// A coordinator behind a slow way: what it is asked at `/mcp` comes late.
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SlowProxy {
  readonly url: string;
  close(): Promise<void>;
}

/** @param delayMs - Of each request to `/mcp`; everything else passes at once. */
export async function openSlowProxy(target: string, delayMs: number): Promise<SlowProxy> {
  const waiting = new Set<NodeJS.Timeout>();
  const server = createServer((incoming, answer) => {
    const pass = () => {
      const options = { method: incoming.method, headers: incoming.headers };
      const outgoing = request(new URL(incoming.url ?? '/', target), options, (given) => {
        answer.writeHead(given.statusCode ?? 502, given.headers);
        answer.flushHeaders();
        given.pipe(answer);
      });
      outgoing.on('error', () => answer.destroy());
      answer.on('close', () => outgoing.destroy());
      incoming.pipe(outgoing);
    };
    if (!(incoming.url ?? '').startsWith('/mcp')) {
      pass();
      return;
    }
    const timer = setTimeout(() => {
      waiting.delete(timer);
      pass();
    }, delayMs);
    waiting.add(timer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        for (const timer of waiting) clearTimeout(timer);
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
