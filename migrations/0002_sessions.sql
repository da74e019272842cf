CREATE TABLE "devices" (
	"id" uuid PRIMARY KEY NOT NULL,
	"uid" text NOT NULL,
	"cookie_digest" text,
	"browser" text,
	"system" text,
	"first_seen_at" timestamp (3) with time zone NOT NULL,
	"last_seen_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "devices_of_account" UNIQUE("uid","cookie_digest")
);
--> statement-breakpoint
CREATE TABLE "session_cookies" (
	"sid" text PRIMARY KEY NOT NULL,
	"session_id" uuid NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"uid" text NOT NULL,
	"device_id" uuid NOT NULL,
	"method" text,
	"root" text,
	"proved_at" timestamp (3) with time zone NOT NULL,
	"opened_at" timestamp (3) with time zone NOT NULL,
	"renewed_at" timestamp (3) with time zone,
	"last_seen_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"ended_by" text,
	"network" "cidr",
	CONSTRAINT "sessions_network_is_coarse" CHECK (masklen("sessions"."network") <= case family("sessions"."network") when 4 then 24 else 48 end)
);
--> statement-breakpoint
ALTER TABLE "devices" ADD CONSTRAINT "devices_uid_accounts_uid_fk" FOREIGN KEY ("uid") REFERENCES "public"."accounts"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "session_cookies" ADD CONSTRAINT "session_cookies_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_uid_accounts_uid_fk" FOREIGN KEY ("uid") REFERENCES "public"."accounts"("uid") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_device_id_devices_id_fk" FOREIGN KEY ("device_id") REFERENCES "public"."devices"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "devices_by_age" ON "devices" USING btree ("last_seen_at");--> statement-breakpoint
CREATE INDEX "cookies_of_session" ON "session_cookies" USING btree ("session_id");--> statement-breakpoint
CREATE UNIQUE INDEX "live_session_of_device" ON "sessions" USING btree ("device_id") WHERE "sessions"."ended_at" is null;--> statement-breakpoint
CREATE INDEX "sessions_of_account" ON "sessions" USING btree ("uid","proved_at");--> statement-breakpoint
CREATE INDEX "sessions_by_root" ON "sessions" USING btree ("root");--> statement-breakpoint
CREATE INDEX "sessions_by_expiry" ON "sessions" USING btree ("expires_at");