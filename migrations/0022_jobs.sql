-- cspell:ignore aclexplode relacl userbyid
-- No row is written between the copy and the removal of a table.
LOCK TABLE "notices", "requested_emails", "oidc_logouts" IN ACCESS EXCLUSIVE MODE;--> statement-breakpoint
ALTER TABLE "notices" RENAME TO "jobs";--> statement-breakpoint
ALTER TABLE "jobs" RENAME CONSTRAINT "notices_pkey" TO "jobs_pkey";--> statement-breakpoint
ALTER TABLE "jobs" RENAME CONSTRAINT "notices_once" TO "jobs_once";--> statement-breakpoint
ALTER INDEX "notices_by_age" RENAME TO "jobs_by_age";--> statement-breakpoint
ALTER INDEX "notices_due" RENAME TO "jobs_due";--> statement-breakpoint
ALTER INDEX "notices_due_of_receiver" RENAME TO "jobs_due_of_receiver";--> statement-breakpoint
ALTER TABLE "jobs" ALTER COLUMN "uid" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "jobs" ALTER COLUMN "key" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "payload" text;--> statement-breakpoint
INSERT INTO "jobs" ("id", "kind", "payload", "created_at", "due_at", "attempts")
SELECT "id", "kind", "sealed", "created_at", "due_at", "attempts" FROM "requested_emails";--> statement-breakpoint
INSERT INTO "jobs" ("id", "uid", "kind", "receiver", "payload", "created_at", "due_at", "attempts", "failed_at", "last_error")
SELECT "id", "sub", 'logout', "client_id", "sid", "created_at", "due_at", "attempts", "failed_at", "last_error" FROM "oidc_logouts";--> statement-breakpoint
ALTER TABLE "requested_emails" RENAME TO "requested_emails_before";--> statement-breakpoint
ALTER TABLE "oidc_logouts" RENAME TO "oidc_logouts_before";--> statement-breakpoint
-- The release before this one reads and writes the same rows by the names that it knows.
CREATE VIEW "notices" AS SELECT "id", "uid", "kind", "key", "receiver", "body", "created_at", "due_at", "attempts", "sent_at", "failed_at", "last_error"
FROM "jobs" WHERE "uid" IS NOT NULL AND "kind" <> 'logout';--> statement-breakpoint
CREATE VIEW "requested_emails" AS SELECT "id", "kind", "payload" AS "sealed", "created_at", "due_at", "attempts"
FROM "jobs" WHERE "uid" IS NULL;--> statement-breakpoint
CREATE VIEW "oidc_logouts" AS SELECT "id", "uid" AS "sub", "kind", "receiver" AS "client_id", "payload" AS "sid", "created_at", "due_at", "attempts", "failed_at", "last_error"
FROM "jobs" WHERE "kind" = 'logout';--> statement-breakpoint
ALTER VIEW "oidc_logouts" ALTER COLUMN "kind" SET DEFAULT 'logout';--> statement-breakpoint
-- A role that may only read and write rows keeps that right.
DO $$
DECLARE granted record;
BEGIN
  FOR granted IN
    SELECT DISTINCT name, privilege, CASE grantee WHEN 0 THEN 'public' ELSE quote_ident(pg_get_userbyid(grantee)) END AS role
    FROM (VALUES ('notices', 'jobs'), ('requested_emails', 'requested_emails_before'), ('oidc_logouts', 'oidc_logouts_before')) AS view_of(name, source)
    JOIN pg_class ON pg_class.oid = to_regclass(quote_ident(source))
    CROSS JOIN LATERAL aclexplode(relacl) AS acl(grantor, grantee, privilege, is_grantable)
    WHERE privilege IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
  LOOP
    EXECUTE format('GRANT %s ON %I TO %s', granted.privilege, granted.name, granted.role);
  END LOOP;
END $$;--> statement-breakpoint
DROP TABLE "requested_emails_before";--> statement-breakpoint
DROP TABLE "oidc_logouts_before";
