// ASVS: 3.3.1, 3.3.2, 3.3.3, 3.3.4
import { ServerResponse, IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { parseCookie } from 'cookie';
import {
  appendCookies,
  buildClearCookie,
  buildClearRepeatedCookies,
  buildClearStrayCookies,
  buildSetCookie,
  buildSetSessionCookie,
  readSessionCookies,
  type SessionCookie,
} from './cookies';
import { LIFETIME } from '@/lib/shared/browser-cookies';
import { cookieTable } from '@/lib/shared/cookie-table';
import { stubPublicDomain } from '@/tests/support/public-domain';

beforeAll(stubPublicDomain);

describe('cookies', () => {
  it('has the attributes of the cookie table', () => {
    expect(buildSetSessionCookie('x' as SessionCookie)).toBe(
      '_secure-user-session=x; Max-Age=432000; Domain=campus.example; Path=/; HttpOnly; Secure; SameSite=Lax',
    );
    expect(buildSetCookie('loggedIn', '1')).not.toContain('HttpOnly');
  });

  it('omits the domain on localhost, where browsers reject it', async () => {
    vi.stubEnv('NEXT_PUBLIC_MAIN_DOMAIN', 'localhost');
    for (const name of ['NEXT_PUBLIC_APP_ORIGIN', 'NEXT_PUBLIC_PLATFORM_ORIGIN']) vi.stubEnv(name, 'http://localhost');
    vi.resetModules();
    const local = await import('./cookies');
    expect(local.buildSetSessionCookie('x' as SessionCookie)).toMatch(/^_secure-user-session=x; (?!.*Domain)/);
  });

  it('clears a cookie with the attributes it was set with', () => {
    expect(buildClearCookie('session')).toMatch(/^_secure-user-session=; Max-Age=0; Domain=campus\.example; Path=\//);
  });

  it('deletes a cookie from this host alone, and from domains above it that are not the main one', () => {
    expect(buildClearStrayCookies('session')).toEqual([
      '_secure-user-session=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax',
      '_secure-user-session=; Max-Age=0; Domain=id.campus.example; Path=/; HttpOnly; Secure; SameSite=Lax',
    ]);
  });

  it('deletes what a request has twice, but no cookie of a program that is not ours', () => {
    const build = (cookie: string) => buildClearRepeatedCookies({ headers: { cookie } });
    const names = (cookie: string) => [...new Set(build(cookie).map((header) => header.split('=', 1)[0]))];
    expect(names('_secure-user-session=a; lang=de; _secure-user-session=b')).toEqual(['_secure-user-session']);
    expect(names('lang=de; callbackUrl=x;lang=en; callbackUrl=; x=1; x=2')).toEqual(['callbackUrl', 'lang']);
    expect(build('_secure-user-session=a; x_secure-user-session=b')).toEqual([]);
    expect(build('__Host-device=a; __Host-device=b')).toEqual([]);
    for (const header of build('kk_uid=a; kk_uid=b')) expect(header).not.toContain('Domain=campus.example');
  });

  it('reads every session cookie of a request once, a few of many, and none that is empty', () => {
    const read = (cookie: string) => readSessionCookies({ headers: { cookie }, cookies: parseCookie(cookie) });
    expect(read('')).toEqual([]);
    expect(read('_secure-user-session=')).toEqual([]);
    expect(read('_secure-user-session=a')).toEqual(['a']);
    expect(
      read('x=1; _secure-user-session=a; _secure-user-session=; _secure-user-session=b; _secure-user-session=a'),
    ).toEqual(['a', 'b']);
    expect(read('x_secure-user-session=z; _secure-user-session=a')).toEqual(['a']);
    expect(read(Array.from({ length: 50 }, (_, i) => `_secure-user-session=${String(i)}`).join('; '))).toHaveLength(4);
    // Another host can plant any number of cookies in front of it.
    const toSession = (i: number) => `${'h'.repeat(80)}.${String(i).padEnd(220, 'c')}.s`;
    const planted = Array.from({ length: 40 }, (_, i) => toSession(i));
    const cookies = [...Array.from({ length: 50 }, (_, i) => `x.y.${String(i)}`), ...planted, toSession(99)];
    expect(read(cookies.map((value) => `_secure-user-session=${value}`).join('; '))).toEqual([
      ...planted,
      toSession(99),
    ]);
  });

  it('escapes values that could inject attributes', () => {
    expect(buildSetCookie('callbackUrl', 'https://a/;Domain=evil.test')).not.toContain(';Domain=evil');
  });

  it('keeps the cookies that a response already has', () => {
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    response.setHeader('set-cookie', 'first=1');
    appendCookies(response, ['second=2']);
    expect(response.getHeader('set-cookie')).toEqual(['first=1', 'second=2']);
  });

  it('has the lifetimes of the specification', () => {
    expect(LIFETIME).toMatchObject({ max: 157_680_000, week: 604_800, day: 86_400, veryShort: 900 });
    expect(cookieTable.oidcOriginalCallback.maxAge).toBe(3_600);
  });

  it('lists every cookie of the specification once', () => {
    const names = Object.values(cookieTable).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(
      expect.arrayContaining(['callbackUrl', 'kk_logged_in', 'kk_user_access_level', 'kk_uid', 'kk_sid', 'kk_clid', 'sign-in-email', 'auth-password-reset', 'auth-email-confirmation', 'email-confirmation-token', 'password-update', 'direct-purchase-token', 'registration-requires-sign-in', 'oidc_original_callback_url', '_secure-user-session', 'sso-login-init', 'kktc']),
    ); // oxfmt-ignore
  });
});
