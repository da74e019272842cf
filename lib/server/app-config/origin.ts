import { isLocalHost } from '../http/origins';

const MAX_LENGTH = 260;

/** An origin as browsers write it; null for anything that is not one. */
export function readOrigin(written: string): string | null {
  if (written.length > MAX_LENGTH || !/^https?:\/\/[^/?#@\\\s]+\/?$/i.test(written)) return null;
  return URL.canParse(written) ? new URL(written).origin : null;
}

/** Under which names an origin may stand in the file, best first: a local one counts for any port (docs/adr/0005). */
export function namesOf(origin: string): string[] {
  const { protocol, hostname, port } = new URL(origin);
  return port !== '' && isLocalHost(hostname) ? [origin, `${protocol}//${hostname}`] : [origin];
}
