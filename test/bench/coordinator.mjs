// One coordinator under measurement, on a database of its own, with the calls that every part of the bench makes.
import { requestText } from './connection.mjs';
import { documentOf, SCHEMA, twoOperations } from './documents.mjs';
import { residentMb, startCountersign } from './processes.mjs';

export const JSON_PATCH = { 'content-type': 'application/json-patch+json' };
const JSON_BODY = { 'content-type': 'application/json' };

/** A coordinator that runs, with the calls of its API. */
export function coordinatorAt(url, token) {
  async function call(method, path, body, headers = JSON_BODY) {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: token === undefined ? headers : { ...headers, authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok)
      throw new Error(`${method} ${path}: ${String(response.status)} ${await response.text()}`);
    return response.json();
  }
  return { url, call };
}

/**
 * Starts a coordinator with the schema of the bench.
 *
 * @param args - Further options of `countersign serve`.
 * @param token - With which it is called.
 * @param env - Further variables of its environment.
 */
export async function coordinatorOn(db, { args = [], token, env } = {}) {
  const server = await startCountersign(db, args, env);
  const { call } = coordinatorAt(server.url, token);

  const newState = async (data) =>
    (await call('POST', '/workflow-states', { schema_name: 'bench', initial_data: data })).state_id;

  /** Many states of 1 KB, some at a time. */
  async function newStates(count) {
    const document = documentOf(1000);
    const ids = [];
    while (ids.length < count) {
      const some = Math.min(64, count - ids.length);
      ids.push(...(await Promise.all(Array.from({ length: some }, () => newState(document)))));
    }
    return ids;
  }

  await call('POST', '/workflow-schemas', { name: 'bench', json_schema: SCHEMA });
  return {
    url: server.url,
    pid: server.pid,
    stop: server.stop,
    call,
    newState,
    newStates,
    residentMb: () => residentMb(server.pid),
  };
}

const any = (all) => all[Math.floor(Math.random() * all.length)];

/** All numbers are of one length, so that a request is prepared but for its number. */
let n = 10_000_000;

/**
 * Requests that differ in a number only, which no two of them share. Their text is prepared up to it: the load takes
 * no more of the machine than that of the same request every time, as the echo's is.
 *
 * @param bodyOf - Gives the body of a number, as a value that JSON can hold.
 */
export function numbered(url, request, bodyOf) {
  const body = JSON.stringify(bodyOf(n));
  const head = requestText(url, { ...request, body }).slice(0, -body.length);
  const parts = body.split(String(n));
  return () => head + parts.join(String((n += 1)));
}

/** Requests of `numbered`, each to any of the states. */
function ofAny(url, ids, request, bodyOf) {
  const prepared = ids.map((id) => numbered(url, { ...request, path: `/workflow-states/${id}` }, bodyOf));
  return () => any(prepared)();
}

/** PATCHes of two operations, each of any of the states, that change it whatever it holds. */
export const patches = (url, ids) => ofAny(url, ids, { method: 'PATCH', headers: JSON_PATCH }, twoOperations);

/** PUTs of a whole document of 1 KB, each of any of the states. */
export function puts(url, ids) {
  const document = documentOf(1000);
  return ofAny(url, ids, { method: 'PUT', headers: JSON_BODY }, (counter) => ({
    data: { ...document, counter },
  }));
}

/** The same request every time. */
export function same(url, request) {
  const text = requestText(url, request);
  return () => text;
}

export const echoes = (url, body) =>
  same(url, { method: 'PATCH', path: '/echo', headers: JSON_BODY, body: JSON.stringify(body) });
