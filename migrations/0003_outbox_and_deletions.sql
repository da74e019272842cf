CREATE TABLE "deletions" (
	"uid" text PRIMARY KEY NOT NULL,
	"id" uuid NOT NULL,
	"requested_at" timestamp (3) with time zone NOT NULL,
	"effective_at" timestamp (3) with time zone NOT NULL,
	"emails" text[] NOT NULL,
	"brand" jsonb NOT NULL,
	"signed_out_at" timestamp (3) with time zone,
	"reminded_at" timestamp (3) with time zone,
	"started_at" timestamp (3) with time zone,
	"due_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "deletions_id_unique" UNIQUE("id")
);
--> statement-breakpoint
CREATE TABLE "notices" (
	"id" uuid PRIMARY KEY NOT NULL,
	"uid" text NOT NULL,
	"kind" text NOT NULL,
	"key" text NOT NULL,
	"body" jsonb,
	"created_at" timestamp (3) with time zone NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"sent_at" timestamp (3) with time zone,
	"failed_at" timestamp (3) with time zone,
	"last_error" text,
	CONSTRAINT "notices_once" UNIQUE("uid","kind","key")
);
--> statement-breakpoint
ALTER TABLE "deletions" ADD CONSTRAINT "deletions_uid_accounts_uid_fk" FOREIGN KEY ("uid") REFERENCES "public"."accounts"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "notices_due" ON "notices" USING btree ("due_at") WHERE "notices"."sent_at" is null and "notices"."failed_at" is null;