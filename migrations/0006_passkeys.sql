CREATE TABLE "passkeys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"uid" text NOT NULL,
	"credential_id" text NOT NULL,
	"public_key" text NOT NULL,
	"algorithm" integer NOT NULL,
	"counter" bigint NOT NULL,
	"transports" text[] NOT NULL,
	"aaguid" uuid NOT NULL,
	"backup_eligible" boolean NOT NULL,
	"backed_up" boolean NOT NULL,
	"user_verified" boolean NOT NULL,
	"rp_id" text NOT NULL,
	"email" text NOT NULL,
	"name" text,
	"source" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	"suspect_at" timestamp (3) with time zone,
	CONSTRAINT "passkeys_credential_id_unique" UNIQUE("credential_id")
);
--> statement-breakpoint
CREATE TABLE "used_challenges" (
	"challenge" text PRIMARY KEY NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "user_handle" text;--> statement-breakpoint
ALTER TABLE "passkeys" ADD CONSTRAINT "passkeys_uid_accounts_uid_fk" FOREIGN KEY ("uid") REFERENCES "public"."accounts"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "passkeys_of_account" ON "passkeys" USING btree ("uid","created_at");--> statement-breakpoint
CREATE INDEX "used_challenges_by_expiry" ON "used_challenges" USING btree ("expires_at");--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_user_handle_unique" UNIQUE("user_handle");