// ASVS: 3.3.1, 3.3.3
// Threats: cookie-planting
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { parseSetCookie } from 'cookie';
import { beforeAll, expect, test } from 'vitest';
import { cookieTable, getCookieName, type CookieKey } from '@/lib/shared/cookie-table';
import type { CookieSpec } from '@/lib/shared/browser-cookies';
import { getKnownBrowser, recordKnownBrowser } from '@/lib/server/notifications/known-browser';
import { packMobileRequest, parseMobileRequest, readKeptMobileRequest } from '@/lib/server/session/mobile';
import { loadActionStep } from '@/lib/server/web/action-step';
import { stubPublicDomain } from '@/tests/support/public-domain';
import { buildClearedDeviceCookies } from '../session/cookies';
import { readDevice } from '../session/request';
import { buildClearCookie, buildSetCookie, readHostCookie } from './cookies';

const KEYS = Object.keys(cookieTable) as CookieKey[];
const isHostOnly = (key: CookieKey) => 'hostOnly' in cookieTable[key];
const OWN = [
  'mobileRequest',
  'emailAction',
  'knownBrowser',
  'pendingSignIn',
  'factorReset',
  'emailChange',
  'newAccount',
  'device',
] as const;
const SECRETS = { own: 'o'.repeat(43), planted: 'p'.repeat(43) };

beforeAll(stubPublicDomain);

test('every cookie without Domain has the prefix and what it requires, and no other one has it', () => {
  expect(KEYS.filter(isHostOnly).sort()).toEqual([...OWN].sort());
  for (const key of KEYS) {
    const { name }: CookieSpec = cookieTable[key];
    const set = key === 'session' ? [] : [buildSetCookie(key, '1')];
    for (const header of [...set, buildClearCookie(key)]) {
      expect(header.startsWith(`__Host-${name}=`)).toBe(isHostOnly(key));
      expect(header.includes('; Domain=')).toBe(!isHostOnly(key));
      expect(header).toMatch(/; Path=\/;(?:.*;)? Secure/);
    }
  }
});

test('on localhost, where browsers take the prefix over no http, the names are plain', () => {
  for (const domain of ['localhost', 'campus.localhost'])
    for (const key of KEYS) expect(getCookieName(key, domain)).toBe(cookieTable[key].name);
  for (const domain of ['localhost.example', 'not-localhost', 'campus.example'])
    expect(getCookieName('device', domain)).toBe('__Host-device');
});

test.each(OWN)('a plain %s, as another host of the main domain can plant it, is not read', (key) => {
  const { name } = cookieTable[key];
  const planted = { [name]: SECRETS.planted };
  expect(readHostCookie({ cookies: planted }, key)).toBeUndefined();
  const both = { ...planted, [`__Host-${name}`]: SECRETS.own };
  expect(readHostCookie({ cookies: both }, key)).toBe(SECRETS.own);
});

test('"Sign out and clear this device" deletes plain ones too, whichever host set them', () => {
  const cleared = buildClearedDeviceCookies({ cookies: {} }).filter((header) => /Max-Age=0/.test(header));
  for (const key of OWN) {
    const ofPlain = cleared.filter((header) => header.startsWith(`${cookieTable[key].name}=;`));
    expect(ofPlain.map((header) => header.includes('; Domain=campus.example')).sort()).toEqual([false, true]);
  }
});

test('a browser is known for an email by no planted cookie', async () => {
  const email = 'mia@campus.example';
  const [set = ''] = await recordKnownBrowser({ cookies: {} }, email);
  const { value = '' } = parseSetCookie(set) ?? {};
  const planted = { cookies: { 'known-browser': value } };
  expect(await getKnownBrowser({ cookies: { '__Host-known-browser': value } }, email)).not.toBeNull();
  expect(await getKnownBrowser(planted, email)).toBeNull();
  expect(parseSetCookie(set)?.name).toBe('__Host-known-browser');
});

test('a mobile request is taken from no other host', () => {
  const query = { redirect_uri: 'campus://oauth-callback', state: 's'.repeat(8), code_challenge: 'c'.repeat(43) };
  const request = parseMobileRequest(query);
  const value = request ? packMobileRequest(request) : '';
  expect(readKeptMobileRequest({ cookies: { '__Host-mobile-request': value } })).toMatchObject(query);
  expect(readKeptMobileRequest({ cookies: { 'mobile-request': value } })).toBeNull();
});

test('the code of an email link is taken from no other host', async () => {
  const open = async (query: Record<string, string>, cookies: Record<string, string>) => {
    const req = Object.assign(new IncomingMessage(new Socket()), { cookies });
    const res = new ServerResponse(req);
    const result = await loadActionStep({ req, res, query, resolvedUrl: '/actions' });
    return { result, set: parseSetCookie(String([res.getHeader('set-cookie')].flat()[0])) };
  };
  const { value = '' } = (await open({ mode: 'resetPassword', oobCode: 'code' }, {})).set ?? {};
  const action = { mode: 'resetPassword', code: 'code' };
  expect((await open({}, { '__Host-email-action': value })).result).toMatchObject({ props: { action } });
  expect((await open({}, { 'email-action': value })).result).toMatchObject({ props: { action: null } });
});

test('a browser is known by no planted secret', () => {
  expect(readDevice({ cookies: { device: SECRETS.planted } }).secret).toBeNull();
  expect(readDevice({ cookies: { device: SECRETS.planted, '__Host-device': SECRETS.own } }).secret).toBe(SECRETS.own);
});
