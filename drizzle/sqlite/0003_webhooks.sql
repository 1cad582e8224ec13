CREATE TABLE `webhook_deliveries` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`delivery_id` text NOT NULL,
	`webhook_id` text,
	`callback_id` text,
	`root_session_id` text NOT NULL,
	`origin` text NOT NULL,
	`type` text NOT NULL,
	`state_id` text,
	`version` integer,
	`status` text NOT NULL,
	`attempt` integer NOT NULL,
	`failures` integer NOT NULL,
	`due_at` integer,
	`expires_at` integer NOT NULL,
	`reason` text,
	`created_at` integer NOT NULL,
	`ended_at` integer,
	`revision` integer NOT NULL,
	`attempts` text NOT NULL,
	`body` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `webhook_deliveries_id` ON `webhook_deliveries` (`delivery_id`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_webhook` ON `webhook_deliveries` (`webhook_id`,`status`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_status` ON `webhook_deliveries` (`status`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_due` ON `webhook_deliveries` (`origin`,`due_at`) WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX `webhook_deliveries_ended` ON `webhook_deliveries` (`ended_at`) WHERE ended_at is not null;--> statement-breakpoint
CREATE TABLE `webhook_destinations` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`origin` text NOT NULL,
	`status` text NOT NULL,
	`failures` integer NOT NULL,
	`opens` integer NOT NULL,
	`until` integer,
	`updated_at` integer NOT NULL,
	`revision` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `webhook_destinations_origin` ON `webhook_destinations` (`origin`);--> statement-breakpoint
CREATE TABLE `webhooks` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`webhook_id` text NOT NULL,
	`url` text NOT NULL,
	`origin` text NOT NULL,
	`events` text NOT NULL,
	`root_session_id` text,
	`state_id` text,
	`schema_name` text,
	`secret` text NOT NULL,
	`enabled` integer NOT NULL,
	`disabled_reason` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`revision` integer NOT NULL,
	`condition` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `webhooks_id` ON `webhooks` (`webhook_id`);--> statement-breakpoint
ALTER TABLE `callbacks` ADD `delivery_id` text;--> statement-breakpoint
ALTER TABLE `sessions` ADD `callback_url` text;--> statement-breakpoint
ALTER TABLE `sessions` ADD `callback_secret` text;