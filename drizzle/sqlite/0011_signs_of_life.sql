ALTER TABLE `sessions` ADD `heartbeat_timeout_ms` integer;--> statement-breakpoint
ALTER TABLE `sessions` ADD `heartbeat_at` integer;--> statement-breakpoint
-- External children that are at work already are heard of from now on.
UPDATE `completions` SET `due_at` = unixepoch() * 1000 + 86400000
WHERE `due_at` IS NULL AND `released_at` IS NULL AND `work_outcome` IS NULL AND `session_id` IN (
  SELECT `session_id` FROM `sessions` WHERE `external` = 1 AND `parent_session_id` IS NOT NULL AND `deleted_at` IS NULL);
