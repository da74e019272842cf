/** What the platform is told (docs/integration.md). */
export type WebhookEvent = {
  type: 'account.deleted';
  /** When it happened, RFC 3339. */
  timestamp: string;
  data: { uid: string };
};
