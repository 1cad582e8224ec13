// The commands' own `fetch` answers as the global one does.
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { httpFetch } from '../../src/cli/io/http-fetch.js';
import type { FetchFunction, FetchRequest } from '../../src/client/index.js';

const ROUTES: Readonly<Record<string, RequestListener>> = {
  '/echo': (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method, headers } = request;
      const body = Buffer.concat(chunks).toString();
      const { 'content-length': length, 'x-own': own } = headers;
      response.end(JSON.stringify({ method, length, own, body }));
    });
  },
  '/headers': (_request, response) => {
    response.writeHead(201, { 'Retry-After': '3', 'Set-Cookie': ['a=1', 'b=2'] }).end('ok');
  },
  '/redirect': (_request, response) => void response.writeHead(302, { location: '/echo' }).end(),
  '/nothing': (_request, response) => void response.writeHead(204).end(),
  '/bom': (_request, response) => void response.end(Buffer.from([0xef, 0xbb, 0xbf, 0x61, 0xff, 0x62])),
  '/split': (_request, response) => {
    response.write(Buffer.from([0xc3]));
    response.end(Buffer.from([0xa4]));
  },
  '/cut': (_request, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('begun', () => response.destroy());
  },
  '/dropped': (request) => void request.destroy(),
  '/begun': (_request, response) => void response.write('begun'),
  '/silent': () => undefined,
};

let server: Server;
let url: string;
beforeAll(async () => {
  server = createServer((request, response) => ROUTES[request.url ?? '']?.(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const get = (): FetchRequest => ({
  method: 'GET',
  headers: { 'x-own': 'yes' },
  redirect: 'manual',
  signal: new AbortController().signal,
});

/** Everything that the client looks at. */
async function seen(send: FetchFunction, path: string, request: FetchRequest) {
  const { ok, status, headers, text } = await send(`${url}${path}`, request).then((response) => ({
    ok: response.ok,
    status: response.status,
    headers: response.headers,
    text: () => response.text(),
  }));
  const named = ['Retry-After', 'set-cookie', 'location', 'x-none'].map((name) => headers.get(name));
  return { ok, status, named, text: await text() };
}

describe('a response', () => {
  it.each(['/echo', '/headers', '/redirect', '/nothing', '/bom', '/split'])(
    'of %s is that of fetch',
    async (path) => {
      expect(await seen(httpFetch, path, get())).toEqual(await seen(fetch, path, get()));
    },
  );

  it.each(['PATCH', 'POST', 'PUT', 'DELETE'])('to %s with a body is that of fetch', async (method) => {
    const request = { ...get(), method, body: '{"ä":"\u{1F600}"}' };
    const response = await seen(httpFetch, '/echo', request);
    expect(response).toEqual(await seen(fetch, '/echo', request));
    expect(JSON.parse(response.text)).toEqual({ method, length: '13', own: 'yes', body: request.body });
  });

  it('streams its body', async () => {
    const headers = { accept: 'text/event-stream' };
    const response = await httpFetch(`${url}/split`, { ...get(), headers });
    const chunks: number[] = [];
    const reader = response.body!.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(...value);
    }
    expect(chunks).toEqual([0xc3, 0xa4]);
  });
});

/** The failure as the client sorts it. */
async function failure(send: FetchFunction, path: string, request: FetchRequest) {
  const error: unknown = await seen(send, path, request).then(
    () => null,
    (reason: unknown) => reason,
  );
  return {
    isTypeError: error instanceof TypeError,
    hasCause: error instanceof Error && error.cause !== undefined,
  };
}

describe('a failure', () => {
  it.each(['/cut', '/dropped'])('of %s is a TypeError with a cause, as that of fetch', async (path) => {
    const expected = { isTypeError: true, hasCause: true };
    expect(await failure(fetch, path, get())).toEqual(expected);
    expect(await failure(httpFetch, path, get())).toEqual(expected);
  });

  it('of a service that does not run has the code of its cause', async () => {
    const error: unknown = await httpFetch('http://127.0.0.1:1/', get()).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(TypeError);
    expect(error).toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  });

  it('follows an abort, before the response and within it', async () => {
    const stop = new AbortController();
    const silent = httpFetch(`${url}/silent`, { ...get(), signal: stop.signal });
    stop.abort();
    await expect(silent).rejects.toThrow();
    await expect(httpFetch(`${url}/echo`, { ...get(), signal: stop.signal })).rejects.toThrow();
    const later = new AbortController();
    const response = await httpFetch(`${url}/begun`, { ...get(), signal: later.signal });
    later.abort();
    await expect(response.text()).rejects.toThrow(TypeError);
  });
});
