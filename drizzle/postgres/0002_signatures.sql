DROP VIEW "state_heads";--> statement-breakpoint
ALTER TABLE "state_events" ADD COLUMN "signature" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "state_snapshots" ADD COLUMN "event_hash" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "state_snapshots" ADD COLUMN "hash" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "state_snapshots" ADD COLUMN "signature" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "workflow_states" ADD COLUMN "unsigned_through" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "workflow_states" ADD COLUMN "signature" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "state_history_cuts" ADD COLUMN "signature" text COLLATE "C";--> statement-breakpoint
CREATE VIEW "state_heads" AS (select "seq", "state_id", "schema_id", "root_session_id", "version", "snapshot_version", "patch_bytes_since_snapshot", "last_hash", "created_at", "updated_at", "updated_by", "tolerates", "unsigned_through", "signature", "revision" from "workflow_states");