const port = Number(process.env.PLATFORM_PORT || 3001);

/** What this site needs to know of the world. */
export const config = {
  port,
  /** This site as a browser sees it. Never taken from the Host header, which the visitor chooses. */
  ownOrigin: process.env.PLATFORM_ORIGIN || `http://localhost:${port}`,
  /** The sign-in app. */
  identityOrigin: process.env.IDENTITY_ORIGIN || 'http://localhost:3000',
};
