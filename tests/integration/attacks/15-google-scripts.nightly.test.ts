import { stringifyCookie } from 'cookie';
import { beforeAll, describe, expect, test } from 'vitest';
import { paths } from '@/lib/shared/paths';
import { attackTools } from '../../support/attack';
import type { CookieJar } from '../../support/client';

const { at, accounts, browser } = attackTools();

/** Scripts that an attacker would load who can inject a script URL into a page. */
const GADGETS = [
  'https://apis.google.com/',
  'https://apis.google.com/js/plusone.js',
  'https://apis.google.com/js/api:client.js',
  'https://apis.google.com/js/client.js?onload=attack',
  'https://apis.google.com/js/api.js/x',
  'https://apis.google.com/_/scs/apps-static/_/js/k=oz.plusone.en.x.O/m=auth',
  'https://apis.google.com/complete/search?client=chrome&jsonp=attack',
  'https://apis.google.com/u/0/_/any',
  'https://accounts.google.com/o/oauth2/revoke?callback=attack',
  'https://www.google.com/complete/search?client=chrome&jsonp=attack',
];
/** The scripts that the identity provider's SDK loads, and their dependencies. */
const HELPER = [
  'https://apis.google.com/js/api.js?onload=__iframefcb123456',
  'https://apis.google.com/_/scs/abc-static/_/js/k=gapi.lb.en.wW0KrNepdTU.O/m=gapi_iframes/rt=j/sv=1/d=1/ed=1/rs=AHp/cb=gapi.loaded_0?le=scs',
];
const WITH_PROVIDERS = [
  '/sign-in',
  '/sign-in/link-account',
  '/sign-in/enterprise',
  '/sign-in/add-passkey',
  '/sign-in/set-up-second-factor',
  '/registration',
  '/partner-auth/initiate',
  '/security',
];

/** Reads the sources of a directive in all policies of a page, in its headers and its meta element. */
async function readSources(page: string, jar: CookieJar): Promise<Record<'script-src' | 'frame-src', string[]>> {
  const answer = await fetch(at(page), { headers: { cookie: stringifyCookie(jar.cookies) } });
  const meta = /http-equiv="Content-Security-Policy" content="([^"]+)"/i.exec(await answer.text())?.[1] ?? '';
  const policies = `${answer.headers.get('content-security-policy') ?? ''}; ${meta.replaceAll('&#x27;', "'")}`;
  const read = (name: string) =>
    policies
      .split(';')
      .map((directive) => directive.trim().split(' '))
      .find(([first]) => first === name)
      ?.slice(1) ?? [];
  return { 'script-src': read('script-src'), 'frame-src': read('frame-src') };
}

/** Returns whether a source matches a script URL by host and by path, exactly or as a folder (CSP Level 3). */
function allows(source: string, script: string): boolean {
  if (/^'(?:self|sha256-.+)'$/.test(source)) return false;
  if (!URL.canParse(source)) throw new Error(`A source this test cannot read: ${source}`);
  const [by, asked] = [new URL(source), new URL(script)];
  if (by.origin !== asked.origin) return false;
  const hasPath = source !== by.origin;
  if (!hasPath) return true;
  return by.pathname.endsWith('/') ? asked.pathname.startsWith(by.pathname) : asked.pathname === by.pathname;
}
const lets = (sources: string[], script: string) => sources.some((source) => allows(source, script));

let learner: CookieJar;
const waiting = browser();
waiting.cookies['pending-sign-in'] = 'any';
beforeAll(async () => {
  learner = browser();
  await learner.post(at('/api/create-user-session'), { token: await accounts.idToken(await accounts.create()) });
});
/** Account pages redirect visitors to sign-in, as the second factor does. Sign-in redirects signed-in learners. */
function createVisitor(page: string): CookieJar {
  if (page === paths.secondFactor) return waiting;
  const ofAccounts: string[] = [
    paths.security,
    paths.courses,
    paths.changePassword,
    paths.signOut,
    paths.addPasskey,
    paths.keepAccount,
  ];
  return ofAccounts.includes(page) ? learner : browser();
}

test.each(Object.values(paths))('%s allows no script host that could be abused', async (page) => {
  const { 'script-src': sources } = await readSources(page, createVisitor(page));
  expect(sources).toContain("'self'");
  expect(GADGETS.filter((script) => lets(sources, script))).toEqual([]);
});

describe('the scripts and the frame of the sign-in helper', () => {
  test.each(WITH_PROVIDERS)('are allowed on %s', async (page) => {
    const { 'script-src': scripts, 'frame-src': frames } = await readSources(page, createVisitor(page));
    expect(HELPER.filter((script) => !lets(scripts, script))).toEqual([]);
    expect(frames).toContain("'self'");
  });

  // These pages redirect, because in this rollout mode there is no registration and no deletion.
  const leadOn: string[] = [paths.firstLoginReset, paths.registrationSuccess, paths.registrationConfirm];
  const others = Object.values(paths).filter((page) => ![...WITH_PROVIDERS, ...leadOn].includes(page));
  test.each([...others, '/nowhere', '/500'])('are not allowed on %s', async (page) => {
    const { 'script-src': scripts, 'frame-src': frames } = await readSources(page, createVisitor(page));
    expect(scripts.filter((source) => source.includes('google'))).toEqual([]);
    expect(frames).toEqual(["'none'"]);
  });
});
