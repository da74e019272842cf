ALTER TABLE "accounts" ADD COLUMN "disabled_told_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "notices" ADD COLUMN "receiver" text;--> statement-breakpoint
CREATE INDEX "notices_due_of_receiver" ON "notices" USING btree ("receiver","due_at") WHERE "notices"."sent_at" is null and "notices"."failed_at" is null;