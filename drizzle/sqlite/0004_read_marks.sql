CREATE TABLE `read_marks` (
	`seq` integer PRIMARY KEY NOT NULL,
	`state_id` text NOT NULL,
	`session_id` text NOT NULL,
	`version` integer NOT NULL,
	`own_version` integer NOT NULL,
	`parts` text NOT NULL,
	`own` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `read_marks_session` ON `read_marks` (`state_id`,`session_id`);