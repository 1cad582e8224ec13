// The cycle of one child, in four requests: it is created under its parent with a contract and a write scope, ends its
// work, records its result as itself, and ends the attempt. Its parent is external and pulls the callbacks.
import { asSession, JSON_BODY, JSON_PATCH, openCaller, percentile } from './caller.mjs';

export const CALLERS = 32;
export const CALLS = ['create', 'stop', 'write', 'stop again'];

const STATE_SCHEMA = {
  type: 'object',
  properties: {
    title: { type: 'string' },
    results: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        properties: { verdict: { enum: ['pass', 'fail'] }, findings: { type: 'integer', minimum: 0 } },
        required: ['verdict'],
        additionalProperties: false,
      },
    },
  },
  required: ['title', 'results'],
  additionalProperties: false,
};

/** What every child of the bench agrees to. */
const CONTRACT_SCHEMA = { type: 'object', required: ['verdict', 'findings'] };

let named = 0;

/** Registers the schema of the trees. */
export const prepareTrees = (service) =>
  service.call('POST', '/workflow-schemas', { name: 'review', json_schema: STATE_SCHEMA });

/** An external root with a state, and no child yet. */
export async function newTree(service) {
  const root = `root-${String((named += 1))}-${process.pid}`;
  await service.call('POST', '/sessions', { session_name: root, external: true });
  const { state_id: stateId } = await service.call('POST', '/workflow-states', {
    schema_name: 'review',
    initial_data: { title: `Review of ${root}`, results: {} },
    root_session_name: root,
  });
  return { root, stateId };
}

/**
 * The four requests of a new child, and the status that each has to have.
 *
 * @param keyed - With an idempotency key each.
 */
function requestsOf({ root, stateId }, keyed) {
  const name = `child-${String((named += 1))}-${process.pid}`;
  const events = { method: 'POST', path: `/sessions/${name}/events`, headers: asSession(name), status: 202 };
  const stop = JSON.stringify({ type: 'session_stop', result_text: 'Reviewed: nothing was found.' });
  const pointer = `/results/${name}`;
  const requests = [
    {
      method: 'POST',
      path: '/sessions',
      headers: JSON_BODY,
      status: 201,
      body: JSON.stringify({
        session_name: name,
        parent_session_name: root,
        external: true,
        callback: true,
        completion: { contract: { pointer, schema: CONTRACT_SCHEMA }, write_scope: [pointer] },
      }),
    },
    { ...events, body: stop },
    {
      method: 'PATCH',
      path: `/workflow-states/${stateId}`,
      headers: asSession(name, JSON_PATCH),
      status: 200,
      body: JSON.stringify([{ op: 'add', path: pointer, value: { verdict: 'pass', findings: 0 } }]),
    },
    { ...events, body: stop },
  ];
  if (!keyed) return requests;
  return requests.map((request, i) => ({
    ...request,
    headers: { ...request.headers, 'idempotency-key': `${name}-${String(i)}` },
  }));
}

/**
 * Runs one cycle for each entry of `trees`, in this order, and then lets each parent pull.
 *
 * @param trees - The tree of each cycle.
 * @param client - Of `CLIENTS`.
 * @param paceMs - Least time between the starts of two cycles of one caller.
 * @param keyed - Each request has an idempotency key, as those of the client library have.
 * @returns Cycles and requests per second, and the latencies of each call in milliseconds.
 */
export async function runCycles(
  service,
  trees,
  { client, callers = CALLERS, paceMs = 0, pull = true, keyed = false } = {},
) {
  const latencies = CALLS.map(() => []);
  let next = 0;
  const opened = await Promise.all(Array.from({ length: callers }, () => openCaller(service.url, client)));
  const from = performance.now();
  await Promise.all(
    opened.map(async (caller) => {
      while (next < trees.length) {
        const begun = performance.now();
        const tree = trees[(next += 1) - 1];
        for (const [i, request] of requestsOf(tree, keyed).entries()) {
          const sent = performance.now();
          const status = await caller.call(request);
          latencies[i].push(performance.now() - sent);
          if (status !== request.status) throw new Error(`${CALLS[i]}: answered ${String(status)}`);
        }
        const left = begun + paceMs - performance.now();
        if (left > 0) await new Promise((resolve) => setTimeout(resolve, left));
      }
    }),
  );
  if (pull) await Promise.all([...new Set(trees)].map((tree) => pullAll(service, tree, count(trees, tree))));
  const seconds = (performance.now() - from) / 1000;
  for (const caller of opened) caller.close();
  return { perSecond: (trees.length * CALLS.length) / seconds, cycles: trees.length / seconds, latencies };
}

/**
 * Echoes of a body by the same number of callers of the same kind: each makes its request, and waits for the answer.
 *
 * @returns Requests per second, and latencies in milliseconds.
 */
export async function runEchoes(url, body, seconds, client) {
  const opened = await Promise.all(Array.from({ length: CALLERS }, () => openCaller(url, client)));
  const request = { method: 'PATCH', path: '/echo', headers: JSON_BODY, body: JSON.stringify(body) };
  const times = [];
  const from = performance.now();
  await Promise.all(
    opened.map(async (caller) => {
      while (performance.now() - from < seconds * 1000) {
        const sent = performance.now();
        const status = await caller.call(request);
        times.push(performance.now() - sent);
        if (status !== 200) throw new Error(`the echo answered ${String(status)}`);
      }
    }),
  );
  const took = (performance.now() - from) / 1000;
  for (const caller of opened) caller.close();
  return { perSecond: times.length / took, p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
}

const count = (trees, tree) => trees.reduce((sum, one) => sum + (one === tree ? 1 : 0), 0);

/** The parent pulls, and finds what all its children have recorded. */
async function pullAll(service, { root }, children) {
  const { items, remaining } = await service.call('GET', `/sessions/${root}/callbacks`);
  if (items.length + remaining < children || items.some(({ outcome }) => outcome !== 'completed')) {
    throw new Error(`${root} was told of ${String(items.length + remaining)} children`);
  }
}
