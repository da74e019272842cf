import { isLocalHost } from '../config/local-host';

const MAX_LENGTH = 260;

/** Normalizes an origin to the form browsers use; null for anything that is not one. */
export function readOrigin(written: string): string | null {
  if (written.length > MAX_LENGTH || !/^https?:\/\/[^/?#@\\\s]+\/?$/i.test(written)) return null;
  return URL.canParse(written) ? new URL(written).origin : null;
}

/** Keys of an origin in the file, most specific first: a localhost entry matches any port (docs/adr/0005). */
export function getConfigNames(origin: string): string[] {
  const { protocol, hostname, port } = new URL(origin);
  return port !== '' && isLocalHost(hostname) ? [origin, `${protocol}//${hostname}`] : [origin];
}
