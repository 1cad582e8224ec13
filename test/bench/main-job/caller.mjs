// One caller of an HTTP API that waits for each answer, through one of several clients. The echo is called through the same
// one: what a client costs itself is in both.
import { Agent, request } from 'node:http';
import { openConnection, requestText } from '../connection.mjs';

export const JSON_BODY = { 'content-type': 'application/json' };
export const JSON_PATCH = { 'content-type': 'application/json-patch+json' };

/** @returns Headers of a request as a session, on a service without `--auth`. */
export const asSession = (name, headers = JSON_BODY) => ({ ...headers, 'x-agent-session-name': name });

/**
 * The clients: `fetch`, as the client library and most callers use it; `http`, of Node.js without it; and `sockets`, which
 * does no more than to write requests and to find the ends of answers.
 */
export const CLIENTS = { fetch: fetching, http: agent, sockets };

/** The clients that a bench calls through: those that BENCH_CLIENT names. */
export function clientsAsked() {
  const asked = (process.env.BENCH_CLIENT ?? 'fetch,sockets').split(',');
  const unknown = asked.filter((name) => !Object.hasOwn(CLIENTS, name));
  if (unknown.length === 0) return asked;
  throw new Error(`no such client: ${unknown.join(', ')}; there are ${Object.keys(CLIENTS).join(', ')}`);
}

/** `call({ method, path, headers, body })` gives the status; `body` is text. */
export const openCaller = (url, client = 'sockets') => CLIENTS[client](url);

async function sockets(url) {
  let answered = () => {};
  const connection = await openConnection(url, (status) => answered(status));
  return {
    call: (request) =>
      new Promise((resolve) => {
        answered = resolve;
        connection.send(requestText(url, request));
      }),
    close: connection.close,
  };
}

function fetching(url) {
  return {
    async call({ method, path, headers = {}, body }) {
      const response = await fetch(`${url}${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
      });
      await response.arrayBuffer();
      return response.status;
    },
    close: () => {},
  };
}

function agent(url) {
  const { hostname: host, port } = new URL(url);
  const kept = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    call: ({ method, path, headers = {}, body }) =>
      new Promise((resolve, reject) => {
        const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
        const sent = request(
          { host, port, method, path, agent: kept, headers: { ...headers, ...length } },
          (response) => {
            response.resume();
            response.once('end', () => resolve(response.statusCode));
          },
        );
        sent.once('error', reject);
        sent.end(body);
      }),
    close: () => kept.destroy(),
  };
}

/** Latencies of one kind of call, in milliseconds. */
export function percentile(times, part) {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}
