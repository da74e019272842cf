// Threats: flooding
import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { getClientAddress } from './client';

const request = (remoteAddress: string | undefined, forwarded?: string) =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as Pick<IncomingMessage, 'headers' | 'socket'>;

describe('without proxies', () => {
  test.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::ffff:cb00:7109', '203.0.113.9'],
    ['::FFFF:203.0.113.9', '203.0.113.9'],
    ['0:0:0:0:0:ffff:203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9%eth0', '203.0.113.9'],
    // A NAT64 translator writes this address.
    ['64:ff9b::203.0.113.9', '203.0.113.9'],
    ['64:ff9b::cb00:7109', '203.0.113.9'],
    ['64:ff9b:1::cb00:7109', '64:ff9b:1:0::/64'],
    ['2001:db8::203.0.113.9', '2001:db8:0:0::/64'],
    [undefined, 'unknown'],
  ])('%s counts as %s', (address, expected) => {
    expect(getClientAddress(request(address), 64, 0)).toBe(expected);
  });

  test('headers sent by the client are ignored', () => {
    expect(getClientAddress(request('203.0.113.9', '198.51.100.1'), 64, 0)).toBe('203.0.113.9');
  });
});

describe('by site', () => {
  test.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ['2001:db8:1:ffff::1', '2001:db8:1::/48'],
    ['2001:db8:2::1', '2001:db8:2::/48'],
    ['2001:db8::1', '2001:db8:0::/48'],
    ['::1', '0:0:0::/48'],
  ])('%s counts as %s', (address, expected) => {
    expect(getClientAddress(request(address), 48, 0)).toBe(expected);
    expect(getClientAddress(request('10.0.0.1', address), 48, 1)).toBe(expected);
  });
});

describe('behind proxies', () => {
  test.each([
    ['one', 1, '198.51.100.1, 203.0.113.9', '203.0.113.9'],
    ['two', 2, '6.6.6.6, 203.0.113.9, 10.0.0.2', '203.0.113.9'],
    ['one that notes the port', 1, '203.0.113.9:4711', '203.0.113.9'],
    ['one that notes an IPv6 port', 1, '[2001:db8::1]:4711', '2001:db8:0:0::/64'],
  ])('%s', (_name, hops, forwarded, expected) => {
    expect(getClientAddress(request('10.0.0.1', forwarded), 64, hops)).toBe(expected);
  });

  test.each(['', 'nonsense', '999.1.1.1', ',,', 'javascript:alert(1)'])(
    '"%s" falls back to the connection',
    (forwarded) => {
      expect(getClientAddress(request('10.0.0.1', forwarded), 64, 1)).toBe('10.0.0.1');
    },
  );

  test('with fewer entries than proxies, the address of the connection counts', () => {
    expect(getClientAddress(request('10.0.0.1', '6.6.6.6'), 64, 2)).toBe('10.0.0.1');
  });
});
