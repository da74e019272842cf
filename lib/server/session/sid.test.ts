import { expect, test } from 'vitest';
import { getSessionId } from './sid';

test('names a session without giving the cookie away', () => {
  const sid = getSessionId('header.payload.signature');
  expect(sid).toMatch(/^[\w-]{22}$/);
  expect(getSessionId('header.payload.signature')).toBe(sid);
  expect(getSessionId('header.payload2.signature')).not.toBe(sid);
});

test('another spelling of the signature is the same session', () => {
  // base64url has unused trailing bits: Qg and Qh are the same byte.
  expect(getSessionId('header.payload.Qh')).toBe(getSessionId('header.payload.Qg'));
});

test.each(['', '.', 'nodots', '...'])('takes anything: "%s"', (cookie) => {
  expect(getSessionId(cookie)).toHaveLength(22);
});
