// `npm run bench -- --db postgres`: durable writes through one, two and three coordinators on a PostgreSQL server that is
// started for it, against pgbench running the same two statements on the same server.
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { register } from 'node:module';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { coordinatorOn, patches } from './coordinator.mjs';
import { documentOf, twoOperations } from './documents.mjs';
import { against, CONNECTIONS, interleaved, round } from './load.mjs';
import { clientsAsked } from './main-job/caller.mjs';
import { CALLERS, newTree, prepareTrees, runCycles, runEchoes } from './main-job/cycle.mjs';
import { startCountersign, startEcho } from './processes.mjs';
import { figure, heading, line, rate } from './report.mjs';

const run = promisify(execFile);
const STATES = 1000;
const COORDINATORS = [1, 2, 3];
const WARM_UP_SECONDS = 12;
const TREES = 24;
const CHILDREN = 600;

/** The tables and the two statements of a write: the event, and the head of its state. */
const TABLES = `
  create table heads (id bigint primary key, version bigint not null, hash text not null, updated_at bigint not null);
  create table log (seq bigint generated always as identity primary key, state bigint not null, event_id text not null,
    patch text not null, hash text not null, previous text not null, created_at bigint not null);
  insert into heads select id, 1, repeat('f', 64), 0 from generate_series(1, ${String(STATES)}) id;`;

const scriptOf = (states) => `\\set id random(1, ${String(states)})
begin;
insert into log (state, event_id, patch, hash, previous, created_at) values (:id, 'evt_00000000000000000000', '${JSON.stringify(twoOperations(10_000_000))}', repeat('f', 64), repeat('f', 64), 1750000000000);
update heads set version = version + 1, hash = repeat('f', 64), updated_at = 1750000000000 where id = :id;
commit;
`;

function pgbench() {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian) : [];
  const found = [...versions.map((version) => join(debian, version, 'bin', 'pgbench')), '/usr/bin/pgbench'];
  return found.find((path) => existsSync(path));
}

/** The cycle of a child against an echo, with one coordinator. BENCH_CLIENT names the clients to call through. */
async function cycles({ service, seconds, rounds }) {
  const document = documentOf(1000);
  const echo = await startEcho(document);
  try {
    await prepareTrees(service);
    for (const client of clientsAsked()) {
      const run = async (trees) => {
        const made = await Promise.all(Array.from({ length: trees }, () => newTree(service)));
        const ofEach = Array.from({ length: CHILDREN }, (_, i) => made[i % trees]);
        return runCycles(service, ofEach, { client });
      };
      const found = await interleaved(rounds, {
        echo: () => runEchoes(echo.url, document, seconds, client),
        trees: () => run(TREES),
        root: () => run(1),
      });
      const callers = `${String(CALLERS)} callers, the parent pulls`;
      heading(`Cycles of a child on PostgreSQL through ${client}: 4 requests each, ${callers}`);
      line('bare Hono echo of 1 KB', '1.00', '', rate(found.echo));
      const many = against(found.trees, found.echo);
      const one = against(found.root, found.echo);
      line(
        `${String(TREES)} trees, ${String(CHILDREN)} children / echo`,
        figure(many),
        '>= 0.12',
        'aim 0.25',
      );
      line(`one parent with ${String(CHILDREN)} children / echo`, figure(one), '>= 0.06', 'half of that');
    }
  } finally {
    await echo.stop();
  }
}

export async function postgres({ dir, seconds, rounds }) {
  const program = pgbench();
  if (program === undefined)
    throw new Error('There is no pgbench on this machine: install postgresql-contrib');
  register('../soak/typescript-hooks.mjs', import.meta.url);
  const { startPostgres } = await import('../support/postgres-server.ts');
  const server = await startPostgres({ fsync: 'on', full_page_writes: 'on', shared_buffers: '128MB' });
  const started = [];
  try {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    await client.query('create database bound');
    await client.end();
    const bound = new URL(server.url);
    bound.pathname = '/bound';
    const tables = new pg.Client({ connectionString: bound.href });
    await tables.connect();
    await tables.query(TABLES);
    await tables.end();
    const bench = (states) => async () => {
      const script = join(dir, `pgbench-${String(states)}.sql`);
      writeFileSync(script, scriptOf(states));
      const connections = ['-c', String(CONNECTIONS), '-j', '2', '-M', 'prepared'];
      const { stdout } = await run(program, [
        '-n',
        ...connections,
        '-T',
        String(seconds),
        '-f',
        script,
        bound.href,
      ]);
      const perSecond = Number(/tps = ([0-9.]+)/.exec(stdout)?.[1]);
      const ms = Number(/latency average = ([0-9.]+) ms/.exec(stdout)?.[1]);
      return { perSecond, p50: ms, p99: ms };
    };

    const first = await coordinatorOn(server.url);
    started.push(first);
    const hot = [await first.newState(documentOf(1000))];
    const many = await first.newStates(STATES);
    /** The connections are spread evenly over the coordinators. */
    const through =
      (ids, forSeconds = seconds) =>
      async () => {
        const connections = Math.floor(CONNECTIONS / started.length);
        const all = await Promise.all(
          started.map(({ url }) => round({ url, next: patches(url, ids), connections, seconds: forSeconds })),
        );
        return {
          perSecond: all.reduce((sum, one) => sum + one.perSecond, 0),
          p50: Math.max(...all.map((one) => one.p50)),
          p99: Math.max(...all.map((one) => one.p99)),
        };
      };
    await cycles({ service: first, seconds, rounds });
    heading(`Durable PATCH on PostgreSQL, 64 connections, ${String(cpus().length)} cores for everything`);
    for (const count of COORDINATORS) {
      while (started.length < count) started.push(await startCountersign(server.url));
      // Not measured: a new coordinator has nothing in memory, and reads each state once.
      await through(many, WARM_UP_SECONDS)();
      const found = await interleaved(rounds, {
        boundHot: bench(1),
        hot: through(hot),
        boundMany: bench(STATES),
        many: through(many),
      });
      const name = `${String(count)} coordinator${count === 1 ? '' : 's'}`;
      if (count === 1) {
        line('pgbench, one row', '1.00', '', `${found.boundHot.perSecond.toFixed(0)}/s`);
        line('pgbench, 1,000 rows', '1.00', '', `${found.boundMany.perSecond.toFixed(0)}/s`);
      }
      line(
        `${name}, one hot state / pgbench`,
        figure(against(found.hot, found.boundHot)),
        '',
        rate(found.hot),
      );
      line(
        `${name}, 1,000 states / pgbench`,
        figure(against(found.many, found.boundMany)),
        '>= 0.50',
        rate(found.many),
      );
    }
  } finally {
    await Promise.all(started.map(({ stop }) => stop()));
    await server.stop();
  }
}
