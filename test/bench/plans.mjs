// `node test/bench/plans.mjs` records the plans of the statements that run most often on PostgreSQL into docs/plans.md: the
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

/** What is no statement on rows begins with one of these. */
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

/** A text without its constants and parameters: pg_stat_statements makes parameters of all constants. */
const shapeOf = (text) => oneLine(text).replaceAll(/\$\d+|\b\d+\b|'[^']*'|\bepoch\b/g, '?');

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
const { RECORD_TABLES } = await import('../../src/store/postgres/writes/record-tables.ts');
const commitLog = await import('../../src/store/postgres/writes/commits/commit-log.ts');
/** The statements of writes, as they are sent: the server can tell the types of all their parameters. */
const written = new Map(
  [
    ...RECORD_TABLES.flatMap(({ rows }) => [rows.insert, rows.update, rows.updateAll]),
    ...Object.values(commitLog),
  ].flatMap((one) => (typeof one?.text === 'string' ? [[shapeOf(one.text), one.text]] : [])),
);
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
  for (const { query: counted, calls } of hottest.slice(0, STATEMENTS)) {
    const query = written.get(shapeOf(counted)) ?? counted;
    const plan = await planOf(client, query);
    if (plan === null) throw new Error(`The server makes no plan for: ${query}`);
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
is created, stops, writes and stops again; the parents pull. These ${String(STATEMENTS)} statements ran most often. Each looks its rows up by an index. What
belongs to a tree is looked up by the root of the tree too. Small tables are read as a
whole, whatever their indexes: for these plans, \`enable_seqscan\` is off.
`;
  const text = await format(`${head}\n${parts.join('\n')}`, {
    ...(await resolveConfig(TARGET)),
    parser: 'markdown',
  });
  writeFileSync(TARGET, text);
} finally {
  await server.stop();
}
