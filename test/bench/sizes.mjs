// One-operation PATCH of larger states, under the load of the other rows and from one caller, against the sum of what
// cannot be avoided, each measured alone in a loop: validating the document, making its text, writing the row durably.
// And what a 1 MB state does to others.
import Ajv2020 from 'ajv/dist/2020.js';
import Database from 'better-sqlite3';
import { join } from 'node:path';
import { openCaller } from './connection.mjs';
import { coordinatorOn, JSON_PATCH, numbered } from './coordinator.mjs';
import { documentOf, SCHEMA } from './documents.mjs';
import { CONNECTIONS, median, round } from './load.mjs';
import { heading, line, ratio } from './report.mjs';

const SIZES = { '10 KB': 10_000, '100 KB': 100_000, '1 MB': 1_000_000 };

/** Median time of one call, milliseconds. */
async function timeOf(seconds, work) {
  const times = [];
  const until = performance.now() + seconds * 1000;
  while (performance.now() < until || times.length < 5) {
    const from = performance.now();
    await work();
    times.push(performance.now() - from);
  }
  return median(times);
}

function partsOf(dir, document) {
  const validate = new Ajv2020.default().compile(SCHEMA);
  const db = new Database(join(dir, 'parts.db'));
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec('create table if not exists log (seq integer primary key, version integer, hash text, patch text)');
  const insert = db.prepare('insert into log (version, hash, patch) values (?, ?, ?)');
  const patch = JSON.stringify([{ op: 'replace', path: '/counter', value: 1 }]);
  return {
    validate: () => validate(document),
    serialize: () => JSON.stringify(document),
    write: () => insert.run(1, 'f'.repeat(64), patch),
    close: () => db.close(),
  };
}

export async function sizes({ dir, seconds, rounds }) {
  const service = await coordinatorOn(join(dir, 'sizes.db'));
  heading('One-operation PATCH by the size of the state, against its unavoidable parts');
  try {
    for (const [name, bytes] of Object.entries(SIZES)) {
      const document = documentOf(bytes);
      const path = `/workflow-states/${await service.newState(document)}`;
      const next = numbered(service.url, { method: 'PATCH', path, headers: JSON_PATCH }, (value) => [
        { op: 'replace', path: '/counter', value },
      ]);
      const parts = partsOf(dir, document);
      const rates = [];
      for (let i = 0; i < rounds; i += 1) {
        rates.push((await round({ url: service.url, seconds, next })).perSecond);
      }
      const alone = {};
      for (const part of ['validate', 'serialize', 'write'])
        alone[part] = await timeOf(seconds / 4, parts[part]);
      const one = await openCaller(service.url);
      const waited = await timeOf(seconds / 2, () => one.call(next()));
      one.close();
      parts.close();
      const sum = alone.validate + alone.serialize + alone.write;
      const told = Object.entries(alone).map(([part, ms]) => `${part} ${ms.toFixed(3)}`);
      const took = 1000 / median(rates);
      line(
        `PATCH of ${name}, ${String(CONNECTIONS)} connections / its parts`,
        ratio(took, sum),
        '<= 1.5',
        `${took.toFixed(3)} ms each; ${told.join(', ')} ms`,
      );
      line('  of one caller, with the round trip', ratio(waited, sum), '', `${waited.toFixed(3)} ms`);
    }
    await besideAnother(service, seconds);
  } finally {
    await service.stop();
  }
}

async function besideAnother(service, seconds) {
  const path = `/workflow-states/${await service.newState(documentOf(1_000_000))}`;
  let n = 0;
  let over = false;
  const patches = (async () => {
    while (!over)
      await service.call('PATCH', path, [{ op: 'replace', path: '/counter', value: (n += 1) }], JSON_PATCH);
  })();
  const times = [];
  const until = performance.now() + seconds * 2000;
  while (performance.now() < until) {
    const from = performance.now();
    await (await fetch(`${service.url}/healthz`)).text();
    times.push(performance.now() - from);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  over = true;
  await patches;
  times.sort((a, b) => a - b);
  const p99 = times[Math.floor(times.length * 0.99)] ?? 0;
  line(
    'GET /healthz beside 1 MB patches, p99 in ms',
    p99.toFixed(1),
    '<= 50',
    `${String(n)} patches meanwhile`,
  );
}
