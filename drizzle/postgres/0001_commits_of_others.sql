CREATE TABLE "commit_changes" (
	"commits" bigint PRIMARY KEY NOT NULL,
	"changes" json
);
--> statement-breakpoint
CREATE TABLE "coordinators" (
	"coordinator_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"seen_at" timestamp with time zone NOT NULL
);
