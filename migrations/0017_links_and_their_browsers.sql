ALTER TABLE "authenticator_apps" ADD COLUMN "added_in" uuid;--> statement-breakpoint
ALTER TABLE "events" ADD COLUMN "added_in" uuid;--> statement-breakpoint
ALTER TABLE "passkeys" ADD COLUMN "added_in" uuid;--> statement-breakpoint
ALTER TABLE "recovery_codes" ADD COLUMN "added_in" uuid;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "disavowing_at" timestamp (3) with time zone;