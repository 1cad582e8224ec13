// One-operation PATCH of larger states against the sum of what cannot be avoided, each measured alone in a loop: validating
// the document, making its text, writing the row durably. Under the load of the other rows; and from one caller, less what
// a GET of the same state takes, which has the same round trip and sends the same text back. And what a 1 MB state does
// to others.
import Ajv2020 from 'ajv/dist/2020.js';
import Database from 'better-sqlite3';
import { join } from 'node:path';
import { openCaller, requestText } from './connection.mjs';
import { coordinatorOn, JSON_PATCH, numbered, same } from './coordinator.mjs';
import { documentOf, SCHEMA } from './documents.mjs';
import { CONNECTIONS, median, round } from './load.mjs';
import { heading, line, ratio } from './report.mjs';

const SIZES = { '10 KB': 10_000, '100 KB': 100_000, '1 MB': 1_000_000 };

const counterOf = (value) => [{ op: 'replace', path: '/counter', value }];

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
      const next = numbered(service.url, { method: 'PATCH', path, headers: JSON_PATCH }, counterOf);
      const parts = partsOf(dir, document);
      const rates = [];
      for (let i = 0; i < rounds; i += 1) {
        rates.push((await round({ url: service.url, seconds, next })).perSecond);
      }
      const alone = {};
      for (const part of ['validate', 'serialize', 'write'])
        alone[part] = await timeOf(seconds / 4, parts[part]);
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
      const { patch, get } = await ofOneCaller(service.url, seconds, {
        patch: next,
        get: same(service.url, { method: 'GET', path }),
      });
      line(
        '  of one caller, beyond a GET of the state / its parts',
        ratio(patch - get, sum),
        '<= 1.5',
        `${patch.toFixed(3)} and ${get.toFixed(3)} ms with the round trip`,
      );
    }
    const large = `/workflow-states/${await service.newState(documentOf(1_000_000))}`;
    await besideAnother(service.url, large, seconds * rounds);
  } finally {
    await service.stop();
  }
}

/** Median times of requests of one caller that waits for each answer, milliseconds; made in turn. */
async function ofOneCaller(url, seconds, requests) {
  const caller = await openCaller(url);
  const times = Object.fromEntries(Object.keys(requests).map((name) => [name, []]));
  const until = performance.now() + seconds * 1000;
  while (performance.now() < until) {
    for (const [name, next] of Object.entries(requests)) {
      const from = performance.now();
      await caller.call(next());
      times[name].push(performance.now() - from);
    }
  }
  caller.close();
  return Object.fromEntries(Object.entries(times).map(([name, all]) => [name, median(all)]));
}

/** What others wait for while one caller patches a state of 1 MB without pause. */
async function besideAnother(url, path, seconds) {
  const next = numbered(url, { method: 'PATCH', path, headers: JSON_PATCH }, counterOf);
  const caller = await openCaller(url);
  const healthz = requestText(url, { method: 'GET', path: '/healthz' });
  const times = [];
  let over = false;
  const asks = (async () => {
    while (!over) {
      const from = performance.now();
      await caller.call(healthz);
      times.push(performance.now() - from);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  const { perSecond } = await round({ url, next, connections: 1, seconds });
  over = true;
  await asks;
  caller.close();
  times.sort((a, b) => a - b);
  const at = (part) => times[Math.floor(times.length * part)] ?? 0;
  line(
    'GET /healthz beside 1 MB patches, p99 in ms',
    at(0.99).toFixed(1),
    '<= 50',
    `p50 ${at(0.5).toFixed(1)} ms of ${String(times.length)}; ${perSecond.toFixed(0)} patches/s meanwhile`,
  );
}
