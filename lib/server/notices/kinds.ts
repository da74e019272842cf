/** What this version can send: emails, and events of webhooks. During an update, others are left to the newer version. */
export const NOTICE_KINDS = [
  'new-sign-in',
  'deletion-requested',
  'deletion-reminder',
  'deletion-cancelled',
  'account-deleted',
  'account.deleted',
] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];
