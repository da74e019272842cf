CREATE TABLE "accounts" (
	"uid" text PRIMARY KEY NOT NULL,
	"methods" text[],
	"seen_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "events" (
	"id" uuid PRIMARY KEY NOT NULL,
	"uid" text NOT NULL,
	"kind" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"network" "cidr",
	"browser" text,
	"system" text,
	"method" text,
	CONSTRAINT "events_network_is_coarse" CHECK (masklen("events"."network") <= case family("events"."network") when 4 then 24 else 48 end)
);
--> statement-breakpoint
ALTER TABLE "events" ADD CONSTRAINT "events_uid_accounts_uid_fk" FOREIGN KEY ("uid") REFERENCES "public"."accounts"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "events_of_account" ON "events" USING btree ("uid","at","id");--> statement-breakpoint
CREATE INDEX "events_by_age" ON "events" USING btree ("at");