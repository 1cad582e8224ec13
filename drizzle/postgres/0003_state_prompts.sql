ALTER TABLE "sessions" ADD COLUMN "state_context" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "state_summary" boolean DEFAULT true NOT NULL;