CREATE TABLE "sent_emails" (
	"id" uuid PRIMARY KEY NOT NULL,
	"uid" text,
	"address_digest" text NOT NULL,
	"kind" text NOT NULL,
	"message_id" uuid NOT NULL,
	"result" text NOT NULL,
	"answer" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "sent_emails_of_account" ON "sent_emails" USING btree ("uid","at");--> statement-breakpoint
CREATE INDEX "sent_emails_to_address" ON "sent_emails" USING btree ("address_digest","at");--> statement-breakpoint
CREATE INDEX "sent_emails_by_age" ON "sent_emails" USING btree ("at");