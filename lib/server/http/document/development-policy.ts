type Directives = Record<string, readonly string[]>;

/**
 * Whether this is `next dev`. The build replaces NODE_ENV with "production", so a deployed server cannot be switched.
 */
export function isDevelopment(): boolean {
  // eslint-disable-next-line no-restricted-properties -- not configuration: the framework sets it
  return process.env.NODE_ENV === 'development';
}

/** Sources that only `next dev` needs. They must never reach a deployed page. */
export const DEVELOPMENT_SOURCES: Directives = {
  // React evaluates code to rebuild server call stacks. The framework injects inline scripts the document cannot hash.
  'script-src': ["'unsafe-inline'", "'unsafe-eval'"],
  // The error overlay injects its own style elements.
  'style-src': ["'unsafe-inline'"],
  // Fast Refresh. Some browsers do not match a WebSocket with 'self'.
  'connect-src': ['ws:'],
};

/**
 * Adds the sources that `next dev` needs to a policy. Hashes are removed: with one present, browsers ignore
 * 'unsafe-inline'.
 */
export function allowDevelopmentSources(directives: Directives): Directives {
  return Object.fromEntries(
    Object.entries(directives).map(([name, sources]) => {
      const added = DEVELOPMENT_SOURCES[name];
      return [name, added ? [...sources.filter((source) => !source.startsWith("'sha256-")), ...added] : sources];
    }),
  );
}
