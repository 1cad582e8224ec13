// One coordinator under measurement, on a database of its own, with the calls that every part of the bench makes.
import { requestText } from './connection.mjs';
import { documentOf, SCHEMA, twoOperations } from './documents.mjs';
import { residentMb, startCountersign } from './processes.mjs';

export const JSON_PATCH = { 'content-type': 'application/json-patch+json' };
const JSON_BODY = { 'content-type': 'application/json' };

/** Starts a coordinator with the schema of the bench. */
export async function coordinatorOn(db) {
  const server = await startCountersign(db);

  async function call(method, path, body, headers = JSON_BODY) {
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok)
      throw new Error(`${method} ${path}: ${String(response.status)} ${await response.text()}`);
    return response.json();
  }

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
    stop: server.stop,
    call,
    newState,
    newStates,
    residentMb: () => residentMb(server.pid),
  };
}

let n = 0;
const DOCUMENT = documentOf(1000);
const any = (ids) => ids[Math.floor(Math.random() * ids.length)];

/** PATCHes of two operations, each of any of the states, that change it whatever it holds. */
export const patches = (url, ids) => () =>
  requestText(url, {
    method: 'PATCH',
    path: `/workflow-states/${any(ids)}`,
    headers: JSON_PATCH,
    body: JSON.stringify(twoOperations((n += 1))),
  });

/** PUTs of a whole document of 1 KB, each of any of the states. */
export const puts = (url, ids) => () =>
  requestText(url, {
    method: 'PUT',
    path: `/workflow-states/${any(ids)}`,
    headers: JSON_BODY,
    body: JSON.stringify({ data: { ...DOCUMENT, counter: (n += 1) } }),
  });

/** The same request every time. */
export function same(url, request) {
  const text = requestText(url, request);
  return () => text;
}

export const echoes = (url, body) =>
  same(url, { method: 'PATCH', path: '/echo', headers: JSON_BODY, body: JSON.stringify(body) });
