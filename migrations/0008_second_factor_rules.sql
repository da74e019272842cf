CREATE TABLE "factor_resets" (
	"uid" text PRIMARY KEY NOT NULL,
	"id" uuid NOT NULL,
	"requested_at" timestamp (3) with time zone NOT NULL,
	"effective_at" timestamp (3) with time zone NOT NULL,
	"email" text NOT NULL,
	"brand" jsonb NOT NULL,
	"reminded_at" timestamp (3) with time zone,
	"warned_at" timestamp (3) with time zone,
	"started_at" timestamp (3) with time zone,
	"due_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "factor_resets_id_unique" UNIQUE("id")
);
--> statement-breakpoint
ALTER TABLE "devices" ADD COLUMN "remembered_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "pending_sign_ins" ADD COLUMN "since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "pending_sign_ins" ADD COLUMN "browser" text;--> statement-breakpoint
ALTER TABLE "pending_sign_ins" ADD COLUMN "system" text;--> statement-breakpoint
ALTER TABLE "pending_sign_ins" ADD COLUMN "network" "cidr";--> statement-breakpoint
ALTER TABLE "pending_sign_ins" ADD COLUMN "brand" jsonb;--> statement-breakpoint
ALTER TABLE "factor_resets" ADD CONSTRAINT "factor_resets_uid_accounts_uid_fk" FOREIGN KEY ("uid") REFERENCES "public"."accounts"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pending_sign_ins" ADD CONSTRAINT "pending_sign_ins_network_is_coarse" CHECK (masklen("pending_sign_ins"."network") <= case family("pending_sign_ins"."network") when 4 then 24 else 48 end);