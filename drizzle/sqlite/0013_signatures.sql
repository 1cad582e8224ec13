CREATE TABLE `state_head_signatures` (
	`state_key` integer PRIMARY KEY NOT NULL,
	`root_session_id` text NOT NULL,
	`unsigned_through` integer NOT NULL,
	`signature` text
);
--> statement-breakpoint
ALTER TABLE `state_events` ADD `signature` text;--> statement-breakpoint
ALTER TABLE `state_snapshots` ADD `event_hash` text;--> statement-breakpoint
ALTER TABLE `state_snapshots` ADD `hash` text;--> statement-breakpoint
ALTER TABLE `state_snapshots` ADD `signature` text;--> statement-breakpoint
ALTER TABLE `state_history_cuts` ADD `signature` text;--> statement-breakpoint
DROP VIEW `state_heads`;--> statement-breakpoint
CREATE VIEW `state_heads` AS select s.seq, s.state_id, s.schema_id, s.root_session_id,
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
  and e.version = (select max(n.version) from state_events n where n.state_key = s.seq);