import type { IncomingMessage } from 'node:http';
import { isIPv4, isIPv6 } from 'node:net';
import { env } from '@/lib/config/env';

const UNKNOWN = 'unknown';

/**
 * The address a request came from, fit to count by: IPv6 clients own a whole /64, so that is what is counted.
 * Of `X-Forwarded-For` only the entries written by our own proxies are believed (`TRUSTED_PROXY_HOPS`, from the right).
 */
export function clientAddress(
  req: Pick<IncomingMessage, 'headers' | 'socket'>,
  trustedHops: number = env().TRUSTED_PROXY_HOPS,
): string {
  const direct = normalise(req.socket.remoteAddress) ?? UNKNOWN;
  if (trustedHops === 0) return direct;
  const forwarded = [req.headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
  return normalise(forwarded.at(-trustedHops)) ?? direct;
}

function normalise(written: string | undefined): string | null {
  const text = written?.trim().toLowerCase() ?? '';
  const address = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? text;
  const plain = address.replace(/^::ffff:(?=\d+\.)/, '').replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
  if (isIPv4(plain)) return plain;
  return isIPv6(plain) ? networkOf(plain) : null;
}

/** The first four groups of an IPv6 address. */
function networkOf(address: string): string {
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - before.length - after.length }, () => '0');
  const groups = [...before, ...zeros, ...after].slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${groups.join(':')}::/64`;
}
