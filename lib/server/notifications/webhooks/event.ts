/** What the platform is told (docs/integration.md). */
export type WebhookEvent = {
  type: 'account.deleted';
  /** When it happened, RFC 3339. */
  timestamp: string;
  data: { uid: string };
};

/** An operator tries the receiver (`doctor --send-webhook`): there is nothing to do about it. */
export type WebhookTest = { type: 'webhook.test'; timestamp: string; data: Record<never, never> };
