import { expect, test } from 'vitest';
import { getSessionId } from './tokens';

test('identifies a session without revealing the cookie', () => {
  const sid = getSessionId('header.payload.signature');
  expect(sid).toMatch(/^[\w-]{22}$/);
  expect(getSessionId('header.payload.signature')).toBe(sid);
  expect(getSessionId('header.payload2.signature')).not.toBe(sid);
});

test('another encoding of the signature identifies the same session', () => {
  // base64url has unused trailing bits: Qg and Qh are the same byte.
  expect(getSessionId('header.payload.Qh')).toBe(getSessionId('header.payload.Qg'));
});

test.each(['', '.', 'nodots', '...'])('accepts any text: "%s"', (cookie) => {
  expect(getSessionId(cookie)).toHaveLength(22);
});
