ALTER TABLE `state_events` ADD `from_schema_id` text;--> statement-breakpoint
ALTER TABLE `state_events` ADD `to_schema_id` text;--> statement-breakpoint
CREATE INDEX `state_events_migration` ON `state_events` (`state_key`,`version`) WHERE from_schema_id is not null;--> statement-breakpoint
CREATE INDEX `state_events_from_schema` ON `state_events` (`from_schema_id`) WHERE from_schema_id is not null;--> statement-breakpoint
ALTER TABLE `workflow_states` ADD `tolerates` integer DEFAULT false NOT NULL;