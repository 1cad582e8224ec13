CREATE TABLE `state_history_cuts` (
	`state_key` integer PRIMARY KEY NOT NULL,
	`oldest_version` integer NOT NULL,
	`through_event` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `state_history_cuts_through` ON `state_history_cuts` (`through_event`);--> statement-breakpoint
CREATE TABLE `notices` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`after_event` integer NOT NULL,
	`kind` text NOT NULL,
	`subject_id` text NOT NULL,
	`root_session_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`facts` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `notices_root` ON `notices` (`root_session_id`,`seq`);--> statement-breakpoint
CREATE INDEX `notices_subject` ON `notices` (`subject_id`,`seq`);