import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { describeClient } from './client';

const CHROME =
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36';
const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';

const describe = (address: string | undefined, agent?: string) => {
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: address });
  return describeClient({ socket, headers: { 'user-agent': agent } }, 0);
};

test.each([
  ['203.0.113.77', '203.0.113.0/24'],
  ['::ffff:203.0.113.77', '203.0.113.0/24'],
  ['2001:db8:1:2:3::4', '2001:db8:1::/48'],
  ['::1', '0:0:0::/48'],
  [undefined, null],
])('the network of %s is %s', (address, network) => {
  expect(describe(address).network).toBe(network);
});

test.each([
  [CHROME, 'Chrome', 'Android'],
  [SAFARI, 'Safari', 'iOS'],
  ['Buy-now/1.0 (Great Offer; visit evil.test)', null, null],
  ['', null, null],
  [undefined, null, null],
  [`${'x'.repeat(100_000)} Chrome/1`, null, null],
])('the browser and system of %.40s', (agent, browser, system) => {
  expect(describe('203.0.113.77', agent)).toMatchObject({ browser, system });
});
