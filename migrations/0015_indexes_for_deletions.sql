CREATE INDEX "oidc_logouts_due_of_client" ON "oidc_logouts" USING btree ("client_id","due_at") WHERE "oidc_logouts"."failed_at" is null;--> statement-breakpoint
CREATE INDEX "oidc_logouts_by_age" ON "oidc_logouts" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "accounts_by_age" ON "accounts" USING btree ("seen_at");--> statement-breakpoint
CREATE INDEX "notices_by_age" ON "notices" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "sessions_of_device" ON "sessions" USING btree ("device_id");--> statement-breakpoint
CREATE INDEX "pending_sign_ins_untold" ON "pending_sign_ins" USING btree ("since") WHERE "pending_sign_ins"."passed_at" is null and "pending_sign_ins"."brand" is not null;--> statement-breakpoint
DROP INDEX "oidc_logouts_due";