// One coordinator under measurement, on a database of its own, with the calls that every part of the bench makes.
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

/** A PATCH of two operations that changes the state, whatever it holds. */
export const patchOf = (stateId) => ({
  method: 'PATCH',
  path: `/workflow-states/${stateId}`,
  headers: JSON_PATCH,
  setupRequest: (request) => ({ ...request, body: JSON.stringify(twoOperations((n += 1))) }),
});

/** A PUT of a whole document of 1 KB. */
export const putOf = (stateId) => ({
  method: 'PUT',
  path: `/workflow-states/${stateId}`,
  headers: JSON_BODY,
  setupRequest: (request) => ({
    ...request,
    body: JSON.stringify({ data: { ...documentOf(1000), counter: (n += 1) } }),
  }),
});

/** Each request takes one of the states. */
export const spread = (requestOf, ids) => [
  {
    ...requestOf(ids[0]),
    setupRequest: (request) => {
      const id = ids[Math.floor(Math.random() * ids.length)];
      return requestOf(id).setupRequest({ ...request, path: `/workflow-states/${id}` });
    },
  },
];

export const echoed = (method, body) => [{ method, path: '/echo', headers: JSON_BODY, body }];
