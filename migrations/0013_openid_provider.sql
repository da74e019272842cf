CREATE TABLE "oidc_artifacts" (
	"model" text NOT NULL,
	"id_digest" text NOT NULL,
	"session_id" uuid,
	"grant_id" text,
	"payload" jsonb NOT NULL,
	"consumed_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "oidc_artifacts_model_id_digest_pk" PRIMARY KEY("model","id_digest")
);
--> statement-breakpoint
CREATE TABLE "oidc_client_sessions" (
	"session_id" uuid NOT NULL,
	"client_id" text NOT NULL,
	"sid" text NOT NULL,
	CONSTRAINT "oidc_client_sessions_session_id_client_id_pk" PRIMARY KEY("session_id","client_id")
);
--> statement-breakpoint
CREATE TABLE "oidc_logouts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"sub" text NOT NULL,
	"client_id" text NOT NULL,
	"sid" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"failed_at" timestamp (3) with time zone,
	"last_error" text
);
--> statement-breakpoint
ALTER TABLE "oidc_artifacts" ADD CONSTRAINT "oidc_artifacts_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oidc_client_sessions" ADD CONSTRAINT "oidc_client_sessions_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "oidc_artifacts_of_session" ON "oidc_artifacts" USING btree ("session_id");--> statement-breakpoint
CREATE INDEX "oidc_artifacts_of_grant" ON "oidc_artifacts" USING btree ("grant_id");--> statement-breakpoint
CREATE INDEX "oidc_artifacts_by_expiry" ON "oidc_artifacts" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "oidc_logouts_due" ON "oidc_logouts" USING btree ("due_at");