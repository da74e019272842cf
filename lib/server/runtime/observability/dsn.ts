import { dsnToString, getEnvelopeEndpointWithUrlEncodedAuth, makeDsn, type DsnComponents } from '@sentry/core';

/** The public form of a DSN: without the secret key that old ones contain. @returns null when it is not a DSN */
export function getPublicDsn(text: string): string | null {
  const dsn = parseDsn(text);
  return dsn ? dsnToString(dsn) : null;
}

/** The envelope endpoint of a DSN's project. @returns null when it is not a DSN */
export function envelopeUrl(text: string): string | null {
  const dsn = parseDsn(text);
  return dsn ? getEnvelopeEndpointWithUrlEncodedAuth(dsn) : null;
}

/** Removes the secret key first: Sentry's parser refuses some of them, and writes what it refuses to the console. */
function parseDsn(text: string): DsnComponents | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.search || url.hash) return undefined;
  url.password = '';
  return makeDsn(url.href);
}
