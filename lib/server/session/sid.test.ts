import { expect, test } from 'vitest';
import { sidOf } from './sid';

test('names a session without giving the cookie away', () => {
  const sid = sidOf('header.payload.signature');
  expect(sid).toMatch(/^[\w-]{22}$/);
  expect(sidOf('header.payload.signature')).toBe(sid);
  expect(sidOf('header.payload2.signature')).not.toBe(sid);
});

test('another spelling of the signature is the same session', () => {
  // base64url ends in bits that mean nothing: Qg and Qh are the same byte.
  expect(sidOf('header.payload.Qh')).toBe(sidOf('header.payload.Qg'));
});

test.each(['', '.', 'nodots', '...'])('takes anything: "%s"', (cookie) => {
  expect(sidOf(cookie)).toHaveLength(22);
});
