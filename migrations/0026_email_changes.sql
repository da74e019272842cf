CREATE TABLE "email_changes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"uid" text NOT NULL,
	"from_email" text NOT NULL,
	"to_email" text NOT NULL,
	"requested_at" timestamp (3) with time zone NOT NULL,
	"done_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "email_changes" ADD CONSTRAINT "email_changes_uid_accounts_uid_fk" FOREIGN KEY ("uid") REFERENCES "public"."accounts"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "email_changes_of_account" ON "email_changes" USING btree ("uid","requested_at");--> statement-breakpoint
CREATE INDEX "email_changes_by_age" ON "email_changes" USING btree ("requested_at");