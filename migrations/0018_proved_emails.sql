CREATE TABLE "proved_emails" (
	"uid" text PRIMARY KEY NOT NULL,
	"email_digest" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "devices" ADD COLUMN "is_introduced" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "proved_emails_by_email" ON "proved_emails" USING btree ("email_digest");--> statement-breakpoint
UPDATE "devices" SET "is_introduced" = true WHERE EXISTS (
	SELECT 1 FROM "sessions" JOIN "notices" ON "notices"."uid" = "sessions"."uid" AND "notices"."kind" = 'new-sign-in' AND "notices"."key" = "sessions"."id"::text
	WHERE "sessions"."device_id" = "devices"."id"
) OR EXISTS (
	SELECT 1 FROM "events" WHERE "events"."uid" = "devices"."uid" AND "events"."kind" = 'registered'
	AND "events"."at" BETWEEN "devices"."first_seen_at" - interval '1 hour' AND "devices"."first_seen_at" + interval '5 minutes'
);
