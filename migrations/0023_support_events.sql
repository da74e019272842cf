ALTER TABLE "events" ADD COLUMN "operator" text;--> statement-breakpoint
ALTER TABLE "events" ADD COLUMN "reason" text;