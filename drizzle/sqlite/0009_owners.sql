ALTER TABLE `workflow_schemas` ADD `owner_root_session_id` text;--> statement-breakpoint
CREATE INDEX `workflow_schemas_owner` ON `workflow_schemas` (`owner_root_session_id`) WHERE owner_root_session_id is not null;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `owner_session_id` text;