CREATE TABLE `callbacks` (
	`seq` integer PRIMARY KEY NOT NULL,
	`callback_id` text NOT NULL,
	`root_session_id` text NOT NULL,
	`parent_session_id` text NOT NULL,
	`parent_generation` integer NOT NULL,
	`child_session_id` text NOT NULL,
	`child_session_name` text NOT NULL,
	`child_generation` integer NOT NULL,
	`status` text NOT NULL,
	`delivery` text NOT NULL,
	`run_id` text,
	`outcome` text,
	`update_status` text,
	`state_version` integer,
	`reason` text,
	`created_at` integer NOT NULL,
	`queued_at` integer,
	`delivered_at` integer,
	`acknowledged_at` integer,
	`revision` integer NOT NULL,
	`message` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `callbacks_id` ON `callbacks` (`callback_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `callbacks_child` ON `callbacks` (`child_session_id`,`child_generation`);--> statement-breakpoint
CREATE INDEX `callbacks_parent` ON `callbacks` (`parent_session_id`,`status`);--> statement-breakpoint
CREATE INDEX `callbacks_root` ON `callbacks` (`root_session_id`);--> statement-breakpoint
CREATE INDEX `callbacks_status` ON `callbacks` (`status`);--> statement-breakpoint
CREATE INDEX `callbacks_run` ON `callbacks` (`run_id`) WHERE run_id is not null;--> statement-breakpoint
CREATE TABLE `completions` (
	`seq` integer PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`generation` integer NOT NULL,
	`root_session_id` text NOT NULL,
	`status` text NOT NULL,
	`work_outcome` text,
	`work_error` text,
	`attempt` integer NOT NULL,
	`environment_retries` integer NOT NULL,
	`wrote` integer NOT NULL,
	`last_write_version` integer,
	`changes_truncated` integer NOT NULL,
	`reason` text,
	`cause_fingerprint` text,
	`released_at` integer,
	`due_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`revision` integer NOT NULL,
	`request` text,
	`attempts` text NOT NULL,
	`changes` text NOT NULL,
	`last_errors` text NOT NULL,
	`settings` text NOT NULL,
	`result_data` text,
	`result_text` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `completions_generation` ON `completions` (`session_id`,`generation`);--> statement-breakpoint
CREATE INDEX `completions_status` ON `completions` (`status`);--> statement-breakpoint
CREATE INDEX `completions_open` ON `completions` (`root_session_id`) WHERE released_at is null;--> statement-breakpoint
CREATE INDEX `completions_due` ON `completions` (`due_at`) WHERE due_at is not null;--> statement-breakpoint
CREATE TABLE `state_events` (
	`seq` integer PRIMARY KEY NOT NULL,
	`state_key` integer NOT NULL,
	`version` integer NOT NULL,
	`event_id` text NOT NULL,
	`root_session_id` text NOT NULL,
	`kind` text NOT NULL,
	`session_id` text,
	`run_id` text,
	`token_name` text,
	`late` integer NOT NULL,
	`created_at` integer NOT NULL,
	`previous_hash` text NOT NULL,
	`hash` text NOT NULL,
	`patch` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `state_events_version` ON `state_events` (`state_key`,`version`);--> statement-breakpoint
CREATE TABLE `runners` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`runner_id` text NOT NULL,
	`hostname` text NOT NULL,
	`project_dir` text,
	`executor_types` text NOT NULL,
	`tags` text NOT NULL,
	`concurrent_max` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`revision` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `runners_id` ON `runners` (`runner_id`);--> statement-breakpoint
CREATE TABLE `runs` (
	`seq` integer PRIMARY KEY NOT NULL,
	`run_id` text NOT NULL,
	`type` text NOT NULL,
	`purpose` text NOT NULL,
	`session_id` text NOT NULL,
	`session_name` text NOT NULL,
	`root_session_id` text NOT NULL,
	`generation` integer NOT NULL,
	`status` text NOT NULL,
	`attempt` integer NOT NULL,
	`lease_hash` text,
	`lease_expires_at` integer,
	`runner_id` text,
	`demands` text NOT NULL,
	`timeout_ms` integer,
	`available_at` integer NOT NULL,
	`error` text,
	`cause` text,
	`stop_reason` text,
	`created_at` integer NOT NULL,
	`claimed_at` integer,
	`started_at` integer,
	`completed_at` integer,
	`due_at` integer,
	`revision` integer NOT NULL,
	`usage` text,
	`metadata` text NOT NULL,
	`prompt` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `runs_id` ON `runs` (`run_id`);--> statement-breakpoint
CREATE INDEX `runs_session` ON `runs` (`session_id`);--> statement-breakpoint
CREATE INDEX `runs_session_unfinished` ON `runs` (`session_id`) WHERE status in ('pending', 'claimed', 'running', 'stopping');--> statement-breakpoint
CREATE INDEX `runs_runner_unfinished` ON `runs` (`runner_id`) WHERE status in ('pending', 'claimed', 'running', 'stopping');--> statement-breakpoint
CREATE INDEX `runs_root` ON `runs` (`root_session_id`);--> statement-breakpoint
CREATE INDEX `runs_status` ON `runs` (`status`);--> statement-breakpoint
CREATE INDEX `runs_pending` ON `runs` (`available_at`) WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX `runs_due` ON `runs` (`due_at`) WHERE due_at is not null;--> statement-breakpoint
CREATE TABLE `workflow_schemas` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`schema_id` text NOT NULL,
	`name` text NOT NULL,
	`version` integer NOT NULL,
	`hash` text NOT NULL,
	`description` text,
	`compatibility` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`revision` integer NOT NULL,
	`json_schema` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `workflow_schemas_id` ON `workflow_schemas` (`schema_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `workflow_schemas_version` ON `workflow_schemas` (`name`,`version`);--> statement-breakpoint
CREATE INDEX `workflow_schemas_hash` ON `workflow_schemas` (`name`,`hash`);--> statement-breakpoint
CREATE TABLE `sessions` (
	`seq` integer PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`session_name` text NOT NULL,
	`status` text NOT NULL,
	`parent_session_id` text,
	`parent_session_name` text,
	`root_session_id` text NOT NULL,
	`depth` integer NOT NULL,
	`external` integer NOT NULL,
	`agent_name` text,
	`project_dir` text,
	`executor_type` text,
	`executor_session_id` text,
	`hostname` text,
	`callback` integer NOT NULL,
	`delivery` text NOT NULL,
	`generation` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`last_resumed_at` integer,
	`deleted_at` integer,
	`revision` integer NOT NULL,
	`demands` text NOT NULL,
	`settings` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_id` ON `sessions` (`session_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_name` ON `sessions` (`session_name`) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX `sessions_root` ON `sessions` (`root_session_id`);--> statement-breakpoint
CREATE INDEX `sessions_parent` ON `sessions` (`parent_session_id`);--> statement-breakpoint
CREATE INDEX `sessions_status` ON `sessions` (`status`);--> statement-breakpoint
CREATE TABLE `settings` (
	`name` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `state_snapshots` (
	`seq` integer PRIMARY KEY NOT NULL,
	`state_key` integer NOT NULL,
	`version` integer NOT NULL,
	`root_session_id` text NOT NULL,
	`text` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `state_snapshots_version` ON `state_snapshots` (`state_key`,`version`);--> statement-breakpoint
CREATE TABLE `workflow_states` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`state_id` text NOT NULL,
	`schema_id` text NOT NULL,
	`root_session_id` text NOT NULL,
	`version` integer NOT NULL,
	`snapshot_version` integer NOT NULL,
	`patch_bytes_since_snapshot` integer NOT NULL,
	`last_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`updated_by` text,
	`revision` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `workflow_states_id` ON `workflow_states` (`state_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `workflow_states_root` ON `workflow_states` (`root_session_id`);--> statement-breakpoint
CREATE INDEX `workflow_states_schema` ON `workflow_states` (`schema_id`);--> statement-breakpoint
CREATE TABLE `tokens` (
	`seq` integer PRIMARY KEY NOT NULL,
	`token_id` text NOT NULL,
	`name` text NOT NULL,
	`role` text NOT NULL,
	`hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`revoked_at` integer,
	`revision` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tokens_id` ON `tokens` (`token_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `tokens_hash` ON `tokens` (`hash`);--> statement-breakpoint
CREATE TABLE `trees` (
	`seq` integer PRIMARY KEY NOT NULL,
	`root_session_id` text NOT NULL,
	`state_id` text,
	`failure_fingerprint` text,
	`failures_in_a_row` integer NOT NULL,
	`revision` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `trees_root` ON `trees` (`root_session_id`);