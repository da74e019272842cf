/** For how long a browser that has shown the second factor is not asked for it, in days. */
export const REMEMBERED_DAYS = 30;

/** A session of an account that /security shows. */
export type DeviceSession = {
  /** In the records; null for a session without a record, which is the one of the page. */
  id: string | null;
  /** The page is shown in this session. */
  isCurrent: boolean;
  /** Such as `Chrome`; null when unknown. */
  browser: string | null;
  /** Such as `Android`; null when unknown. */
  system: string | null;
  /** The sign-in method, by the identity provider's id; null when unknown. */
  method: string | null;
  /** When the account was first used in this browser, RFC 3339. */
  firstUsed: string;
  /** When it was last used, to 15 minutes, RFC 3339. */
  lastUsed: string;
  /** Until when its sign-ins are not asked for the second factor, RFC 3339; null: they are. */
  rememberedUntil: string | null;
};

/** One other session, or all of them. */
export type SessionsToEnd = { session: string } | { others: true };
