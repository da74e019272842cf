import type { IncomingMessage } from 'node:http';
import { isIPv4, isIPv6 } from 'node:net';
import Bowser from 'bowser';
import { env } from './config/env';

const UNKNOWN = 'unknown';

/**
 * Bits of an IPv6 address that count. A host has a /64, a site up to a /48 (RFC 6177). Use /48 for limits that protect
 * other users' mailboxes, because a host with a /48 could use 65,536 limits of /64.
 */
export type Ipv6Prefix = 48 | 64;
const BITS_PER_GROUP = 16;

/**
 * Returns the client address of a request, normalized for counting. An IPv6 address counts by its network. Only the
 * entries of `X-Forwarded-For` from our own proxies are trusted (`TRUSTED_PROXY_HOPS`, from the right).
 */
export function getClientAddress(
  req: Pick<IncomingMessage, 'headers' | 'socket'>,
  ipv6Prefix: Ipv6Prefix = 64,
  trustedHops: number = env().TRUSTED_PROXY_HOPS,
): string {
  const direct = normalizeAddress(req.socket.remoteAddress, ipv6Prefix) ?? UNKNOWN;
  if (trustedHops === 0) return direct;
  const forwarded = [req.headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
  return normalizeAddress(forwarded.at(-trustedHops), ipv6Prefix) ?? direct;
}

function normalizeAddress(written: string | undefined, ipv6Prefix: Ipv6Prefix): string | null {
  const text = written?.trim().toLowerCase() ?? '';
  const address = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? text;
  const plain = address.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
  if (isIPv4(plain)) return plain;
  return isIPv6(plain) ? getNetwork(plain, ipv6Prefix) : null;
}

/**
 * Prefixes of IPv6 addresses that contain an IPv4 address: mapped (RFC 4291, section 2.5.5.2), or from a translator
 * (RFC 6052, section 2.1). Each IPv4 address counts as its own client.
 */
const IPV4_PREFIXES = ['0:0:0:0:0:ffff', '64:ff9b:0:0:0:0'];

function getNetwork(address: string, prefix: Ipv6Prefix): string {
  const groups = toGroups(address);
  if (IPV4_PREFIXES.includes(groups.slice(0, 6).join(':'))) {
    const bytes = groups.slice(6).flatMap((group) => {
      const value = Number.parseInt(group, 16);
      return [value >> 8, value & 255];
    });
    return bytes.join('.');
  }
  return `${groups.slice(0, prefix / BITS_PER_GROUP).join(':')}::/${String(prefix)}`;
}

/** Returns the eight groups of an IPv6 address, in hexadecimal without leading zeros and without its zone. */
function toGroups(address: string): string[] {
  const toGroup = (high = '', low = '') => (Number(high) * 256 + Number(low)).toString(16);
  const written = (address.split('%')[0] ?? '').replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (...[, a, b, c, d]: string[]) =>
    [toGroup(a, b), toGroup(c, d)].join(':'),
  );
  const [head = '', tail] = written.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16).toString(16));
}

/** The origin of a request, in the precision that records about an account may have. */
export type ClientDescription = {
  /** /24 or /48 in CIDR notation. Null if unknown. */
  network: string | null;
  /** Name without version. Null if unknown. */
  browser: string | null;
  system: string | null;
};

/** Limits the time of the library's regular expressions. */
const MAX_USER_AGENT_LENGTH = 512;
/** For unknown browsers, the library returns the client's own text, so only listed names are accepted. */
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
