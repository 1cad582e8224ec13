CREATE TABLE `workflow_archives` (
	`seq` integer PRIMARY KEY NOT NULL,
	`archive_id` text NOT NULL,
	`state_id` text NOT NULL,
	`root_session_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`invocations` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `workflow_archives_id` ON `workflow_archives` (`archive_id`);--> statement-breakpoint
CREATE INDEX `workflow_archives_state` ON `workflow_archives` (`state_id`);--> statement-breakpoint
CREATE INDEX `workflow_archives_age` ON `workflow_archives` (`created_at`);