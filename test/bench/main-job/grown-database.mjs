// A database with many sessions and events, made of the records of one real cycle: the program makes the tables and these
// records, and SQL copies them. The copies lack valid hashes: nothing that is measured reads them.
import Database from 'better-sqlite3';
import { coordinatorOn } from '../coordinator.mjs';
import { newTree, prepareTrees, runCycles } from './cycle.mjs';

/** Children of each copied root. */
const CHILDREN = 24;
const EVENTS_PER_STATE = 250;

/** Columns of a table, with what stands in place of some of them. */
function copied(db, table, replaced) {
  const columns = db
    .prepare(`select name from pragma_table_info(?)`)
    .pluck()
    .all(table)
    .filter((name) => name !== 'seq');
  const values = columns.map((name) => replaced[name] ?? `t."${name}"`);
  return { into: `"${table}" (${columns.map((name) => `"${name}"`).join(', ')})`, values: values.join(', ') };
}

const rootId = `printf('ses_%020d', n)`;
const childId = `printf('ses_%020d', n * 100 + 1000000000 + c)`;
const numbers = (name, from, to) =>
  `${name} as (select ${String(from)} as ${name[0]} union all select ${name[0]} + 1 from ${name} where ${name[0]} < ${String(to)})`;

/** Makes a database with so many sessions, all of them done, and so many events. */
export async function grownDatabase(path, { sessions, events = 0 }) {
  const service = await coordinatorOn(path);
  await prepareTrees(service);
  await runCycles(service, [await newTree(service)], { callers: 1 });
  await service.stop();
  const db = new Database(path);
  db.pragma('synchronous = off');
  const roots = Math.max(1, Math.round(sessions / (CHILDREN + 1)));
  const fill = (table, replaced, of, where) => {
    const { into, values } = copied(db, table, replaced);
    db.exec(
      `with recursive ${numbers('n_roots', 1, roots)}, ${numbers('c_children', 1, CHILDREN)} ` +
        `insert into ${into} select ${values} from n_roots ${of} ${where}`,
    );
  };
  const root = { session_id: rootId, root_session_id: rootId };
  const child = { session_id: childId, root_session_id: rootId };
  const each = 'join c_children';
  db.transaction(() => {
    fill('sessions', { ...root, session_name: `'old-' || n` }, 'join sessions t', 'where t.depth = 0');
    const parent = { parent_session_id: rootId, parent_session_name: `'old-' || n` };
    const name = { session_name: `'old-' || n || '-' || c` };
    fill(
      'sessions',
      { ...child, ...parent, ...name },
      `${each} join sessions t`,
      "where t.depth = 1 and t.session_name not like 'old-%'",
    );
    fill('trees', { root_session_id: rootId, state_id: 'null' }, 'join trees t', 'where t.seq = 1');
    fill('completions', child, `${each} join completions t`, "where t.status = 'completed' and t.seq <= 2");
    if (events > 0) {
      const states = Math.ceil(events / EVENTS_PER_STATE);
      const { into, values } = copied(db, 'workflow_states', {
        state_id: `printf('wfstate_%020d', n)`,
        root_session_id: `printf('ses_%020d', n + 900000000)`,
        version: String(EVENTS_PER_STATE),
      });
      db.exec(
        `with recursive ${numbers('n_states', 1, states)} insert into ${into} select ${values} from n_states join workflow_states t where t.seq = 1`,
      );
      const event = copied(db, 'state_events', {
        state_key: 'n + 1',
        version: 'c',
        event_id: `printf('evt_%020d', n * 1000 + c)`,
        root_session_id: `printf('ses_%020d', n + 900000000)`,
      });
      db.exec(
        `with recursive ${numbers('n_states', 1, states)}, ${numbers('c_versions', 1, EVENTS_PER_STATE)} ` +
          `insert into ${event.into} select ${event.values} from n_states join c_versions join state_events t where t.seq = 2`,
      );
    }
  })();
  db.pragma('wal_checkpoint(truncate)');
  db.close();
}
