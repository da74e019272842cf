CREATE TABLE "authenticator_apps" (
	"id" uuid PRIMARY KEY NOT NULL,
	"uid" text NOT NULL,
	"sealed_key" jsonb NOT NULL,
	"key_id" text NOT NULL,
	"last_step" bigint,
	"created_at" timestamp (3) with time zone NOT NULL,
	"checked_at" timestamp (3) with time zone,
	"confirmed_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "pending_sign_ins" (
	"digest" text PRIMARY KEY NOT NULL,
	"uid" text NOT NULL,
	"provider" text NOT NULL,
	"method" text,
	"root" text,
	"email" text,
	"proved_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"passed_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "recovery_codes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"uid" text NOT NULL,
	"salt" text NOT NULL,
	"digest" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"confirmed_at" timestamp (3) with time zone,
	"used_at" timestamp (3) with time zone,
	CONSTRAINT "recovery_codes_once" UNIQUE("uid","digest")
);
--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "second_factor_since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "failed_factors" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "factors_rest_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "authenticator_apps" ADD CONSTRAINT "authenticator_apps_uid_accounts_uid_fk" FOREIGN KEY ("uid") REFERENCES "public"."accounts"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pending_sign_ins" ADD CONSTRAINT "pending_sign_ins_uid_accounts_uid_fk" FOREIGN KEY ("uid") REFERENCES "public"."accounts"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recovery_codes" ADD CONSTRAINT "recovery_codes_uid_accounts_uid_fk" FOREIGN KEY ("uid") REFERENCES "public"."accounts"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "apps_of_account" ON "authenticator_apps" USING btree ("uid","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "new_app_of_account" ON "authenticator_apps" USING btree ("uid") WHERE "authenticator_apps"."confirmed_at" is null;--> statement-breakpoint
CREATE INDEX "apps_by_key" ON "authenticator_apps" USING btree ("key_id");--> statement-breakpoint
CREATE INDEX "pending_sign_ins_of_account" ON "pending_sign_ins" USING btree ("uid");--> statement-breakpoint
CREATE INDEX "pending_sign_ins_by_expiry" ON "pending_sign_ins" USING btree ("expires_at");