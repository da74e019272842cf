import { beforeAll, expect, test } from 'vitest';
import { stubPublicDomain } from '@/tests/support/public-domain';
import { buildEndedSessionCookies } from './cookies';

beforeAll(stubPublicDomain);

test('after sign-out only kk_logged_in=0 remains', () => {
  const headers = buildEndedSessionCookies({ cookies: {} });
  expect(headers).toHaveLength(8);
  const hostOnly = headers.filter((header) => !header.includes('Domain=campus.example'));
  expect(hostOnly).toEqual([
    '__Host-pending-sign-in=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax',
    // The cookie is deleted for this host and for a former main domain.
    '_secure-user-session=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax',
    '_secure-user-session=; Max-Age=0; Domain=id.campus.example; Path=/; HttpOnly; Secure; SameSite=Lax',
  ]);
  expect(headers.filter((header) => !header.includes('Max-Age=0'))).toEqual([
    'kk_logged_in=0; Max-Age=432000; Domain=campus.example; Path=/; Secure; SameSite=Lax',
  ]);
});

test('a shared computer is not known after sign-out', () => {
  const headers = buildEndedSessionCookies({ cookies: { 'shared-computer': '1' } });
  expect(headers).toContain('__Host-device=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax');
});
