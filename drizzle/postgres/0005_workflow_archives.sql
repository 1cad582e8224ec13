CREATE TABLE "workflow_archives" (
	"seq" bigint PRIMARY KEY NOT NULL,
	"archive_id" text COLLATE "C" NOT NULL,
	"state_id" text COLLATE "C" NOT NULL,
	"root_session_id" text COLLATE "C" NOT NULL,
	"created_at" bigint NOT NULL,
	"invocations" text COLLATE "C" NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "workflow_archives_id" ON "workflow_archives" USING btree ("archive_id");--> statement-breakpoint
CREATE INDEX "workflow_archives_state" ON "workflow_archives" USING btree ("state_id");--> statement-breakpoint
CREATE INDEX "workflow_archives_age" ON "workflow_archives" USING btree ("created_at");