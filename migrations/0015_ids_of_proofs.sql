-- The id that was made for a proof, as a cookie of the session that it opened: the sessions that came from that have it as their root.
INSERT INTO "session_cookies" ("sid", "session_id", "expires_at")
SELECT DISTINCT ON ("root") "root", "id", "expires_at" FROM "sessions"
WHERE length("root") = 36 AND "expires_at" > now()
ORDER BY "root", "opened_at"
ON CONFLICT DO NOTHING;
