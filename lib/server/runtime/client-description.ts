import Bowser from 'bowser';
import type { IncomingMessage } from 'node:http';
import { isIPv4, isIPv6 } from 'node:net';
import { env } from './config/env';
import { getClientAddress } from './client-address';

/** Where a request came from, as far as a record about an account may say. */
export type ClientDescription = {
  /** /24 or /48 in CIDR notation; null when unknown. */
  network: string | null;
  /** Name without version; null when unknown. */
  browser: string | null;
  system: string | null;
};

/** The library parses with regular expressions: long texts must not cost time. */
const MAX_USER_AGENT_LENGTH = 512;
/** For browsers it does not know, the library returns whatever the client sent. */
const BROWSERS = new Set(Object.values(Bowser.BROWSER_MAP));
const SYSTEMS = new Set(Object.values(Bowser.OS_MAP));

export function describeClient(
  req: Pick<IncomingMessage, 'headers' | 'socket'>,
  trustedHops: number = env().TRUSTED_PROXY_HOPS,
): ClientDescription {
  const agent = (req.headers['user-agent'] ?? '').slice(0, MAX_USER_AGENT_LENGTH);
  const { browser, os } = agent === '' ? { browser: {}, os: {} } : Bowser.parse(agent);
  return {
    network: toNetwork(getClientAddress(req, 48, trustedHops)),
    browser: pick(browser.name, BROWSERS),
    system: pick(os.name, SYSTEMS),
  };
}

function pick(name: string | undefined, known: ReadonlySet<string>): string | null {
  return name !== undefined && known.has(name) ? name : null;
}

function toNetwork(address: string): string | null {
  if (isIPv4(address)) return `${address.split('.').slice(0, 3).join('.')}.0/24`;
  return isIPv6(address.split('/')[0] ?? '') ? address : null;
}
