// Threats: cookie-bomb
import { randomUUID } from 'node:crypto';
import { parseSetCookie, stringifySetCookie } from 'cookie';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LINK_CODE_MAX } from '@/lib/shared/account/email-action';
import { encodeCookieValue, LIFETIME, type CookieSpec } from '@/lib/shared/browser-cookies';
import {
  COOKIE_BUDGET,
  cookieTable,
  fitsCookie,
  getCookieName,
  getFlowCookieName,
  type CookieKey,
} from '@/lib/shared/cookie-table';
import { applySharedComputerExpiry, buildClearCookie, buildSetCookie } from './cookies';
import { MAX_FLOWS } from '../accounts/email-request';
import { detectRedirectLoop } from '@/lib/shared/callback/redirect-loop';
import { packMobileRequest, parseMobileRequest, readKeptMobileRequest } from '@/lib/server/session/mobile';
import { sealConfirmationLink } from '@/lib/server/codes/links';
import { seal, sealShort } from '@/lib/server/codes/token';

/** `=` and `; ` of a cookie in the header. */
const SEPARATORS = 3;
const KEYS = [new Uint8Array(32)];
const EXP = Math.floor(Date.now() / 1000) + LIFETIME.veryShort;
/** An id of 72 random bits. */
const FLOW = 'f'.repeat(12);
const TOKENS = ['emailConfirmationToken', 'passwordReset', 'signInCode'] as const;
const LONGEST_EMAIL = `${'e'.repeat(242)}@campus.test`;

// The local default of the configuration: it names the emulator.
process.env.FIREBASE_AUTH_EMULATOR_HOST = 'localhost:9099';

describe('the cookie budget', () => {
  it('has room for all cookies that links can set, at their largest', () => {
    const sizes = Object.entries<CookieSpec>(cookieTable).flatMap(([key, { maxBytes }]) =>
      maxBytes === undefined ? [] : [getCookieName(key as CookieKey, 'campus.test').length + SEPARATORS + maxBytes],
    );
    expect(sizes).toHaveLength(10);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(COOKIE_BUDGET.links);
  });

  it('has room for the tokens of all flows', async () => {
    const payload = { email: LONGEST_EMAIL, uid: 'u'.repeat(128) };
    const claims = { jti: randomUUID(), mark: 'm'.repeat(43), payload, flow: FLOW, exp: EXP };
    const token = await seal(claims, KEYS);
    const names = TOKENS.flatMap((key) => [
      cookieTable[key].name,
      ...Array.from({ length: MAX_FLOWS }, () => getFlowCookieName(key, claims.flow, 'campus.test')),
    ]);
    const longest = names.sort((a, b) => b.length - a.length).slice(0, MAX_FLOWS + 2);
    const size = longest.reduce((sum, name) => sum + name.length + SEPARATORS + token.length, 0);
    expect(size).toBeLessThanOrEqual(COOKIE_BUDGET.flows);
  });

  it('has room for the new accounts of all flows', async () => {
    const payload = { name: 'n'.repeat(28), password: 'p'.repeat(256) };
    const sealed = await sealShort({ jti: 'u'.repeat(28), mark: '', payload, exp: EXP }, KEYS);
    const name = getFlowCookieName('newAccount', FLOW, 'campus.test');
    expect(MAX_FLOWS * (name.length + SEPARATORS + sealed.length)).toBeLessThanOrEqual(COOKIE_BUDGET.newAccounts);
  });

  it('has room for the longest code of a link', async () => {
    const link = { email: LONGEST_EMAIL, uid: 'u'.repeat(128), registration: randomUUID(), creates: '1' };
    const code = await sealConfirmationLink(link);
    expect(code.length).toBeLessThanOrEqual(LINK_CODE_MAX);
    const payload = { mode: 'resetPassword', code: 'c'.repeat(LINK_CODE_MAX), flow: FLOW };
    expect(fitsCookie('emailAction', await sealShort({ jti: randomUUID(), mark: '', payload, exp: EXP }, KEYS))).toBe(
      true,
    );
  });

  it('has room for the longest state of a mobile request, whatever its characters', () => {
    const query = { redirect_uri: 'campus://oauth-callback', code_challenge: 'c'.repeat(43) };
    for (const state of ['%'.repeat(512), '"'.repeat(512), 's'.repeat(512)]) {
      const request = parseMobileRequest({ ...query, state });
      const value = request ? packMobileRequest(request) : '';
      const req = { cookies: { [cookieTable.mobileRequest.name]: value } };
      expect(readKeptMobileRequest(req)).toEqual({ ...query, state, code_challenge_method: 'S256' });
    }
    const redirect_uri = `${query.redirect_uri}?${'&'.repeat(700)}`;
    expect(parseMobileRequest({ ...query, redirect_uri, state: 's'.repeat(512) })).toBeNull();
  });

  it('has room for the times of redirects', () => {
    let times: string | undefined;
    for (let n = 0; n < 10; n += 1) times = detectRedirectLoop(times, Date.now() + n).next;
    expect(fitsCookie('callbackBounces', times ?? '')).toBe(true);
  });

  it('deletes a cookie instead of storing a value that is too large', () => {
    const longest = `https://learn.campus.test/?${'&'.repeat(2048 - 27)}`;
    expect(parseSetCookie(buildSetCookie('callbackUrl', longest)).value).toBe(longest);
    for (const value of [`${longest}&`, longest.replace('&', '%')])
      expect(buildSetCookie('callbackUrl', value)).toBe(buildClearCookie('callbackUrl'));
  });
});

describe('cookie values', () => {
  const keys = ['signInEmail', 'emailConfirmation'] as const;

  it('are read as they were, also on a shared computer', () => {
    const shared = { cookies: { [cookieTable.sharedComputer.name]: '1' } };
    fc.assert(
      fc.property(fc.constantFrom(...keys), fc.string({ unit: 'grapheme', minLength: 1 }), (key, value) => {
        const header = buildSetCookie(key, value);
        expect(parseSetCookie(header).value).toBe(value);
        const [ended = ''] = applySharedComputerExpiry(shared, [header]);
        expect(ended.split(';')[0]).toBe(header.split(';')[0]);
      }),
    );
  });

  it('are encoded in characters that a cookie may contain, never longer than by encodeURIComponent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (value) => {
        const encoded = encodeCookieValue(value);
        expect(encoded).toMatch(/^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/);
        expect(encoded.length).toBeLessThanOrEqual(stringifySetCookie('n', value).length - 2);
      }),
    );
  });
});
