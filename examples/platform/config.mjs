const port = Number(process.env.PLATFORM_PORT || 3001);

/** The configuration of this site. */
export const config = {
  port,
  /** This site's public origin. Never taken from the Host header, which the client controls. */
  ownOrigin: process.env.PLATFORM_ORIGIN || `http://localhost:${port}`,
  /** The sign-in app. */
  identityOrigin: process.env.IDENTITY_ORIGIN || 'http://localhost:3000',
  /** Its listener for session checks alone. */
  checkOrigin: process.env.CHECK_ORIGIN || undefined,
  /** Shared with the sign-in app, which signs its webhooks with it. Without it all are refused. */
  webhookSecret: process.env.WEBHOOK_SECRET || '',
};
