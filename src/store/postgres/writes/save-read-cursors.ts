// Saves what sessions have read. No lock of a tree is taken: many sessions read a state while others write it.
import type { ReadCursor } from '../../../domain/records/records.js';
import type { Connection } from '../connection/connections.js';
import { storedParameter } from '../tables/stored-text.js';

/** Those whose state is deleted meanwhile wait for it, and are left out. Rows are locked in the order of their keys. */
const SAVE = {
  name: 'save_read_cursors',
  text: `with kept as (
      select state_id, root_session_id from workflow_states where state_id = any ($1::text[]) order by state_id for key share)
    insert into read_marks (state_id, root_session_id, session_id, version, own_version, parts, own)
      select c.state_id, kept.root_session_id, c.session_id, c.version, c.own_version, c.parts, c.own
        from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::text[], $6::text[])
          as c (state_id, session_id, version, own_version, parts, own)
        join kept on kept.state_id = c.state_id
        order by c.state_id collate "C", c.session_id collate "C"
      on conflict (state_id, session_id) do update set version = excluded.version,
        own_version = excluded.own_version, parts = excluded.parts, own = excluded.own`,
};

/** @param cursors - At most one for each session and state. */
export async function saveReadCursors(connection: Connection, cursors: readonly ReadCursor[]): Promise<void> {
  const values = [
    cursors.map(({ stateId }) => storedParameter(stateId)),
    cursors.map(({ sessionId }) => storedParameter(sessionId)),
    cursors.map(({ version }) => version),
    cursors.map(({ ownVersion }) => ownVersion),
    cursors.map(({ parts }) => JSON.stringify(parts)),
    cursors.map(({ own }) => (own === null ? null : JSON.stringify(own))),
  ];
  await connection.query({ ...SAVE, values });
}
