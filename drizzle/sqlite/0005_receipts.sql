CREATE TABLE `receipts` (
	`seq` integer PRIMARY KEY NOT NULL,
	`receipt_id` text NOT NULL,
	`fingerprint` text NOT NULL,
	`created_at` integer NOT NULL,
	`value` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `receipts_id` ON `receipts` (`receipt_id`);--> statement-breakpoint
CREATE INDEX `receipts_age` ON `receipts` (`created_at`);