/**
 * Whether this is `next dev`. The build replaces NODE_ENV with "production", so a deployed server cannot be switched.
 */
export function isDevelopment(): boolean {
  // eslint-disable-next-line no-restricted-properties -- not configuration: the framework sets it
  return process.env.NODE_ENV === 'development';
}
