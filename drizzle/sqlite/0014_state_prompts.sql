ALTER TABLE `sessions` ADD `state_context` integer DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE `sessions` ADD `state_summary` integer DEFAULT true NOT NULL;