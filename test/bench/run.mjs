// `npm run bench`: what the service does per second, as ratios against bounds measured in the same run.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { documentOf, SCHEMA, twoOperations } from './documents.mjs';
import { interleaved, round } from './load.mjs';
import { startCountersign, startEcho } from './processes.mjs';
import { groupedCommits } from './sqlite-bound.mjs';

const seconds = Number(process.env.BENCH_SECONDS ?? 5);
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const STATES = 1000;
const SIZES = { '1 KB': 1000, '10 KB': 10_000, '100 KB': 100_000, '1 MB': 1_000_000 };

const dir = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
const document = documentOf(1000);
const [echo, service] = await Promise.all([startEcho(document), startCountersign(join(dir, 'bench.db'))]);

async function call(method, path, body) {
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${String(response.status)} ${await response.text()}`);
  return response.json();
}

const newState = async (data) =>
  (await call('POST', '/workflow-states', { schema_name: 'bench', initial_data: data })).state_id;

const JSON_PATCH = { 'content-type': 'application/json-patch+json' };
let n = 0;
const patchOf = (stateId) => ({
  method: 'PATCH',
  path: `/workflow-states/${stateId}`,
  headers: JSON_PATCH,
  setupRequest: (request) => ({ ...request, body: JSON.stringify(twoOperations((n += 1))) }),
});
const putOf = (stateId) => ({
  method: 'PUT',
  path: `/workflow-states/${stateId}`,
  headers: { 'content-type': 'application/json' },
  setupRequest: (request) => ({
    ...request,
    body: JSON.stringify({ data: { ...document, counter: (n += 1) } }),
  }),
});
/** Each connection takes the states in an order of its own. */
const spread = (requestOf, ids) => [
  {
    ...requestOf(ids[0]),
    setupRequest: (request) => {
      const id = ids[Math.floor(Math.random() * ids.length)];
      return requestOf(id).setupRequest({ ...request, path: `/workflow-states/${id}` });
    },
  },
];
const echoed = (method, body) => [
  { method, path: '/echo', headers: { 'content-type': 'application/json' }, body },
];
const at = (url, requests, connections) => () => round({ url, requests, seconds, connections });

function line(name, value, note = '') {
  console.log(`${name.padEnd(46)} ${value.padStart(10)}  ${note}`);
}
const ratio = (a, b) => (a / b).toFixed(2);
const rate = ({ perSecond, p50, p99 }) =>
  `${perSecond.toFixed(0)}/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;

try {
  await call('POST', '/workflow-schemas', { name: 'bench', json_schema: SCHEMA });
  const hot = await newState(document);
  const many = [];
  for (let i = 0; i < STATES; i += 1) many.push(await newState(document));

  console.log(
    `Node ${process.version}; ${String(rounds)} rounds of ${String(seconds)} s each, taken in turn; medians.\n`,
  );
  const text = JSON.stringify(document);
  const writes = await interleaved(rounds, {
    echo: at(echo.url, echoed('PATCH', text)),
    hot: at(service.url, [patchOf(hot)]),
    many: at(service.url, spread(patchOf, many)),
    put: at(service.url, spread(putOf, many)),
    sqlite: () => Promise.resolve(groupedCommits(join(dir, 'bound.db'), { seconds, group: 64 })),
  });
  console.log('Durable writes of a 1 KB state, 64 connections');
  line('bare Hono echo of 1 KB', '1.00', rate(writes.echo));
  line('PATCH, one hot state / echo', ratio(writes.hot.perSecond, writes.echo.perSecond), rate(writes.hot));
  line('PATCH, 1,000 states / echo', ratio(writes.many.perSecond, writes.echo.perSecond), rate(writes.many));
  line('PUT, 1,000 states / echo', ratio(writes.put.perSecond, writes.echo.perSecond), rate(writes.put));
  line('p99 of the hot PATCH / p99 of the echo', ratio(writes.hot.p99, writes.echo.p99));
  line('bare better-sqlite3, groups of 64', '1.00', `${writes.sqlite.perSecond.toFixed(0)} rows/s`);
  line('PATCH, one hot state / better-sqlite3', ratio(writes.hot.perSecond, writes.sqlite.perSecond));
  line('PATCH, 1,000 states / better-sqlite3', ratio(writes.many.perSecond, writes.sqlite.perSecond));

  const { version } = await call('PATCH', `/workflow-states/${hot}`, { operations: twoOperations(1) });
  const get = { method: 'GET', path: `/workflow-states/${hot}` };
  const reads = await interleaved(rounds, {
    echo: at(echo.url, [{ method: 'GET', path: '/echo' }]),
    get: at(service.url, [get]),
    notModified: at(service.url, [{ ...get, headers: { 'if-none-match': `"${String(version)}"` } }]),
  });
  console.log('\nReads of a 1 KB state, 64 connections');
  line('bare Hono GET of 1 KB', '1.00', rate(reads.echo));
  line('GET / bare GET', ratio(reads.get.perSecond, reads.echo.perSecond), rate(reads.get));
  line(
    'GET answered 304 / bare GET',
    ratio(reads.notModified.perSecond, reads.echo.perSecond),
    rate(reads.notModified),
  );

  console.log(
    '\nGrowth with the size of the state, 8 connections; each against the bare echo of a body of that size',
  );
  for (const [name, bytes] of Object.entries(SIZES)) {
    const body = documentOf(bytes);
    const id = await newState(body);
    const sized = JSON.stringify(body);
    const results = await interleaved(1, {
      echo: at(echo.url, echoed('PATCH', sized), 8),
      patch: at(service.url, [patchOf(id)], 8),
      get: at(service.url, [{ method: 'GET', path: `/workflow-states/${id}` }], 8),
    });
    line(
      `PATCH of ${name} / echo of ${name}`,
      ratio(results.patch.perSecond, results.echo.perSecond),
      rate(results.patch),
    );
    line(
      `GET of ${name} / echo of ${name}`,
      ratio(results.get.perSecond, results.echo.perSecond),
      rate(results.get),
    );
  }
} finally {
  await Promise.all([echo.stop(), service.stop()]);
  rmSync(dir, { recursive: true, force: true });
}
