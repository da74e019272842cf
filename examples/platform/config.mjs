const port = Number(process.env.PLATFORM_PORT || 3001);

/** The configuration of this site. */
export const config = {
  port,
  /** This site's public origin. It is never taken from the Host header, because the client controls that. */
  ownOrigin: process.env.PLATFORM_ORIGIN || `http://localhost:${port}`,
  /** The sign-in app. */
  identityOrigin: process.env.IDENTITY_ORIGIN || 'http://localhost:3000',
  /** The sign-in app's listener for session checks only. */
  checkOrigin: process.env.CHECK_ORIGIN || undefined,
  /** Shared with the sign-in app, which signs its webhooks with it. Without it, all webhooks are refused. */
  webhookSecret: process.env.WEBHOOK_SECRET || '',
};
