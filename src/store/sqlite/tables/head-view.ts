// The current heads of states. A state's row is only written with its snapshots, and the view adds later
// events. So a write to one of many states costs no page of the heads table in addition to its event.
import { sql } from 'drizzle-orm';
import { sqliteView } from 'drizzle-orm/sqlite-core';
import { states } from '../../tables/states.js';
import { columns } from './columns.js';

export const stateHeads = sqliteView('state_heads', {
  seq: columns.count('seq'),
  ...states(columns).columns,
  lenient: columns.flag('tolerates'),
  unsignedThrough: columns.count('unsigned_through'),
  signature: columns.nullable.text('signature'),
  revision: columns.revision('revision'),
}).as(sql`select s.seq, s.state_id, s.schema_id, s.root_session_id,
  coalesce(e.version, s.version) as version, s.snapshot_version,
  s.patch_bytes_since_snapshot + coalesce((
    select sum(length(p.patch)) from state_events p where p.state_key = s.seq and p.version > s.version), 0)
    as patch_bytes_since_snapshot,
  coalesce(e.hash, s.last_hash) as last_hash, s.created_at, coalesce(e.created_at, s.updated_at) as updated_at,
  case when e.seq is null then s.updated_by else e.session_id end as updated_by, s.tolerates,
  coalesce(g.unsigned_through, 0) as unsigned_through, g.signature, s.revision
from workflow_states s
left join state_head_signatures g on g.state_key = s.seq
left join state_events e on e.state_key = s.seq and e.version > s.version
  and e.version = (select max(n.version) from state_events n where n.state_key = s.seq)`);
