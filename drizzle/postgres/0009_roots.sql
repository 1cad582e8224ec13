DROP INDEX "callbacks_root";--> statement-breakpoint
DROP INDEX "runs_root";--> statement-breakpoint
ALTER TABLE "state_history_cuts" ADD COLUMN "root_session_id" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "read_marks" ADD COLUMN "root_session_id" text COLLATE "C";--> statement-breakpoint
CREATE INDEX "callbacks_root" ON "callbacks" USING btree ("root_session_id","child_session_id");--> statement-breakpoint
CREATE INDEX "runs_root" ON "runs" USING btree ("root_session_id","session_id");--> statement-breakpoint
UPDATE "state_history_cuts" c SET "root_session_id" = s."root_session_id" FROM "workflow_states" s WHERE s."seq" = c."state_key";--> statement-breakpoint
UPDATE "read_marks" m SET "root_session_id" = s."root_session_id" FROM "workflow_states" s WHERE s."state_id" = m."state_id";--> statement-breakpoint
-- What inserts no root: a coordinator of the version before, a copy, and compactions, whose statements are those of every database.
CREATE FUNCTION "root_of_state_key"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.root_session_id := (SELECT s.root_session_id FROM workflow_states s WHERE s.seq = NEW.state_key);
  RETURN NEW;
END $$;--> statement-breakpoint
CREATE FUNCTION "root_of_state_id"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.root_session_id := (SELECT s.root_session_id FROM workflow_states s WHERE s.state_id = NEW.state_id);
  RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER "state_history_cuts_root" BEFORE INSERT ON "state_history_cuts"
  FOR EACH ROW WHEN (NEW.root_session_id IS NULL) EXECUTE FUNCTION "root_of_state_key"();--> statement-breakpoint
CREATE TRIGGER "read_marks_root" BEFORE INSERT ON "read_marks"
  FOR EACH ROW WHEN (NEW.root_session_id IS NULL) EXECUTE FUNCTION "root_of_state_id"();
