CREATE TABLE "recovery_emails" (
	"uid" text PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"added_at" timestamp (3) with time zone NOT NULL,
	"added_in" uuid,
	CONSTRAINT "recovery_emails_email_unique" UNIQUE("email")
);
--> statement-breakpoint
ALTER TABLE "email_changes" ADD COLUMN "kind" text DEFAULT 'main' NOT NULL;--> statement-breakpoint
ALTER TABLE "recovery_emails" ADD CONSTRAINT "recovery_emails_uid_accounts_uid_fk" FOREIGN KEY ("uid") REFERENCES "public"."accounts"("uid") ON DELETE cascade ON UPDATE no action;