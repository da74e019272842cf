import { expect, test } from 'vitest';
import { getAccessLevel, buildEndedSessionCookies } from './cookies';

test.each([
  [{ accessLevel: 'teacher' }, 'teacher'],
  [{}, 'standard'],
  [undefined, 'standard'],
  [{ accessLevel: 7 }, 'standard'],
  [{ accessLevel: '' }, 'standard'],
  [{ accessLevel: 'a; Domain=evil.example' }, 'standard'],
])('the access level of %j is %s', (claims, level) => {
  expect(getAccessLevel(claims)).toBe(level);
});

test('after sign-out only kk_logged_in=0 remains', () => {
  const headers = buildEndedSessionCookies('campus.example');
  expect(headers).toHaveLength(5);
  expect(headers.every((header) => header.includes('Domain=campus.example'))).toBe(true);
  expect(headers.filter((header) => !header.includes('Max-Age=0'))).toEqual([
    'kk_logged_in=0; Max-Age=432000; Domain=campus.example; Path=/; Secure; SameSite=Lax',
  ]);
});
