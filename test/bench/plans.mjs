// `node test/bench/plans.mjs` records the plans of the ten statements that run most often on PostgreSQL into docs/plans.md: the
// children of some trees are created, write, and end, on a server that is started for it.
import { register } from 'node:module';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { format, resolveConfig } from 'prettier';
import { coordinatorOn } from './coordinator.mjs';
import { newTree, prepareTrees, runCycles } from './main-job/cycle.mjs';

const TREES = 40;
const CHILDREN = 10;
const STATEMENTS = 16;
const TARGET = fileURLToPath(new URL('../../docs/plans.md', import.meta.url));

/** Statements of records, which begin with none of these. */
const OTHERS = /^(begin|commit|rollback|listen|set |select last_value|select nextval|select pg_notify)/i;

async function load(coordinator) {
  await prepareTrees(coordinator);
  const trees = await Promise.all(Array.from({ length: TREES }, () => newTree(coordinator)));
  await runCycles(
    coordinator,
    Array.from({ length: TREES * CHILDREN }, (_, i) => trees[i % TREES]),
  );
}

const fenced = (language, text) => ['```' + language, text, '```'].join('\n');

const oneLine = (text) => text.replaceAll(/\s+/g, ' ').trim();

/** `null` if the server cannot tell the types of the parameters from the text. */
async function planOf(client, query) {
  try {
    const { rows } = await client.query(`explain (generic_plan, costs off) ${query}`);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  } catch {
    return null;
  }
}

register('../soak/typescript-hooks.mjs', import.meta.url);
const { startPostgres } = await import('../support/postgres-server.ts');
const server = await startPostgres({ shared_preload_libraries: 'pg_stat_statements' });
try {
  const client = new pg.Client({ connectionString: server.url });
  client.on('error', () => undefined);
  await client.connect();
  await client.query('create extension pg_stat_statements');
  const coordinator = await coordinatorOn(server.url);
  await load(coordinator);
  await coordinator.stop();
  await client.query('analyze');
  const { rows } = await client.query(
    'select query, calls::int as calls from pg_stat_statements order by calls desc',
  );
  const hottest = rows.filter(({ query }) => !OTHERS.test(query.trim()));
  // A small table is otherwise read as a whole.
  await client.query('set enable_seqscan = off');
  const parts = [];
  for (const { query, calls } of hottest) {
    const plan = parts.length < STATEMENTS ? await planOf(client, query) : null;
    if (plan === null) continue;
    parts.push(
      [
        `## ${String(parts.length + 1)}`,
        `Called ${String(calls)} times.`,
        fenced('sql', oneLine(query)),
        fenced('text', plan),
        '',
      ].join('\n\n'),
    );
  }
  const version = (await client.query('show server_version')).rows[0].server_version;
  await client.end();
  const head = `# Plans of the hottest statements on PostgreSQL

\`node test/bench/plans.mjs\` has written this page, on PostgreSQL ${version}: ${String(TREES)} trees of ${String(CHILDREN)} children, each of which
is created, stops, writes and stops again; the parents pull. These ${String(STATEMENTS)} statements on records ran most often. Each looks its rows up by an index: by
the root of the tree, by an id or a name, or by the time at which something is due. Small tables are read as a whole, whatever their indexes: for
these plans, \`enable_seqscan\` is off.
`;
  const text = await format(`${head}\n${parts.join('\n')}`, {
    ...(await resolveConfig(TARGET)),
    parser: 'markdown',
  });
  writeFileSync(TARGET, text);
} finally {
  await server.stop();
}
