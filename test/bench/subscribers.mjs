// What idle listeners cost: memory for each, and the time of a write to a state that they do not listen to, with and
// without them. Run alone: node test/bench/subscribers.mjs [listeners] [writes]
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const LISTENERS = Number(process.argv[2] ?? 1000);
const WRITES = Number(process.argv[3] ?? 2000);

const program = fileURLToPath(new URL('../../dist/main/bin.js', import.meta.url));
const dir = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
const server = spawn(
  process.execPath,
  [program, 'serve', '--port', '0', '--db', join(dir, 'c.db'), '--log-level', 'error'],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);

const url = await new Promise((resolve) => {
  let said = '';
  server.stdout.on('data', (chunk) => {
    said += chunk;
    const found = /http:\/\/[0-9.:]+/.exec(said)?.[0];
    if (found !== undefined) resolve(new URL(found));
  });
});

const call = async (method, path, body, type = 'application/json') => {
  const response = await fetch(new URL(path, url), {
    method,
    headers: { 'content-type': type },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${String(response.status)} ${await response.text()}`);
  return response.json();
};

const newState = async () =>
  (await call('POST', '/workflow-states', { schema_name: 'plan', initial_data: { n: 0 } })).state_id;

/** Resident memory of the service, bytes. */
const resident = () =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${String(server.pid)}/status`, 'utf8'))?.[1]) * 1024;

const patch = (state, n) =>
  call(
    'PATCH',
    `/workflow-states/${state}`,
    [{ op: 'replace', path: '/n', value: n }],
    'application/json-patch+json',
  );

/** Median time of a write, milliseconds. */
async function median(state, from, writes = WRITES) {
  const times = [];
  for (let n = 0; n < writes; n += 1) {
    const begun = performance.now();
    await patch(state, from + n);
    times.push(performance.now() - begun);
  }
  return times.sort((a, b) => a - b)[writes >> 1];
}

/** Settles when the service has begun to answer. */
const listen = (state) =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(url.port), url.hostname);
    socket.once('error', reject);
    socket.once('data', () => resolve(socket.resume()));
    socket.write(`GET /workflow-states/${state}/stream HTTP/1.1\r\nhost: ${url.host}\r\n\r\n`);
  });

try {
  await call('POST', '/workflow-schemas', { name: 'plan', json_schema: { type: 'object' } });
  const [heard, written] = [await newState(), await newState()];
  // Twice: what is measured is a program that has warmed up.
  await median(written, 1);
  await median(written, 50_000);
  const alone = await median(written, 100_000);
  const before = resident();
  const sockets = [];
  for (let n = 0; n < LISTENERS; n += 1) sockets.push(await listen(heard));
  const after = resident();
  const beside = await median(written, 200_000);
  const heardMs = await median(heard, 1, Math.ceil(WRITES / 20));
  for (const socket of sockets) socket.destroy();
  const again = await median(written, 300_000);
  const without = (alone + again) / 2;
  console.log(`listeners: ${String(LISTENERS)}, writes: ${String(WRITES)} one after the other, medians`);
  console.log(`resident memory for each listener: ${((after - before) / LISTENERS / 1024).toFixed(1)} KiB`);
  console.log(`PATCH of another state, with listeners / without: ${(beside / without).toFixed(2)}`);
  console.log(`PATCH of the state that all listen to / without listeners: ${(heardMs / without).toFixed(2)}`);
} finally {
  server.kill('SIGTERM');
  await new Promise((resolve) => server.once('exit', resolve));
  rmSync(dir, { recursive: true, force: true });
}
