// Threats: factor-skipped, foreign-client
import { beforeEach, describe, expect, test } from 'vitest';
import { nextSecond, type CookieJar } from '../support/client';
import {
  begin,
  CALLBACK,
  complete,
  describeClient,
  discover,
  Navigator,
  writeClients,
  writeKeys,
} from '../support/relying-party';
import { serveSecondFactor } from '../support/second-factor-app';
import { createWays } from '../support/second-factor-ways';
import { SoftwareAuthenticator } from '../support/software-authenticator';

writeClients({ moodle: describeClient() });
writeKeys('first');

const app = serveSecondFactor();
const { newBrowser, enrol, show } = app;
const { ways: ofOneFactor, joinOrganization, byOrganization } = createWays(app);
const ways = {
  ...ofOneFactor,
  'a partner': (browser: CookieJar) => byOrganization(browser, 'oidc.acme'),
};
const DOMAINS: Record<string, [provider: string, domain: string]> = {
  'an organization whose sign-in counts as one': ['saml.acme', 'acme.test'],
  'a partner': ['oidc.acme', 'partner.test'],
};

/** What a client asks for, and what a session of one and of two factors gets: its `acr`, an error, or the sign-in page. */
const REQUESTS: [parameters: Record<string, string>, one: string, two: string][] = [
  [{}, 'aal1', 'aal2'],
  [{ prompt: 'none' }, 'aal1', 'aal2'],
  [{ prompt: 'login' }, '/sign-in', '/sign-in'],
  [{ acr_values: 'aal2' }, '/sign-in', 'aal2'],
  [{ acr_values: 'aal2', prompt: 'none' }, 'login_required', 'aal2'],
  [{ acr_values: 'aal2', prompt: 'login' }, '/sign-in', '/sign-in'],
];

async function ask(browser: CookieJar, parameters: Record<string, string>) {
  const navigator = new Navigator(app.origin);
  navigator.take(browser.cookies);
  const config = await discover(app.origin, 'moodle');
  const started = await begin(config, parameters);
  const next = await navigator.follow(started.address);
  if (next.origin + next.pathname !== CALLBACK) return { got: next.pathname, claims: undefined };
  if (next.searchParams.has('error')) return { got: next.searchParams.get('error'), claims: undefined };
  const claims = (await complete(config, next, started)).claims();
  return { got: claims?.acr, claims };
}

async function expectAnswers(browser: CookieJar, factors: 1 | 2): Promise<void> {
  // A proof of the last seconds would count as later than the request.
  app.advance(20);
  for (const [parameters, one, two] of REQUESTS) {
    const { got, claims } = await ask(browser, parameters);
    expect([parameters, got]).toEqual([parameters, factors === 1 ? one : two]);
    if (!claims) continue;
    expect(claims.sub).toBe(app.user.uid);
    expect(((claims.amr as string[] | undefined) ?? []).includes('mfa')).toBe(factors === 2);
    expect(claims.auth_time).toBeLessThanOrEqual(Math.floor(Date.now() / 1000) - 15);
  }
}

describe.each(Object.entries(ways))('a session by %s', (name, signIn) => {
  beforeEach(() => {
    const own = DOMAINS[name];
    return own && joinOrganization(...own);
  });

  test('of one factor gets what it has', async () => {
    const browser = newBrowser('phone');
    expect(await signIn(browser)).toMatchObject({ status: 200 });
    await expectAnswers(browser, 1);
  });

  test('and a code gets what it has', async () => {
    const { codeAt } = await enrol();
    await nextSecond();
    const browser = newBrowser('phone');
    expect((await signIn(browser)).status).toBe(403);
    expect(await show(browser, { code: codeAt() })).toMatchObject({ status: 200 });
    await expectAnswers(browser, 2);
  });
});

async function addPasskey(flags?: string[]) {
  const laptop = newBrowser();
  await app.signIn(laptop);
  const authenticator = new SoftwareAuthenticator();
  const how = flags ? ([{ flags }, { source: 'upgrade' }] as const) : [];
  expect(await app.add(laptop, authenticator, ...(how as []))).toMatchObject({ status: 200 });
  return authenticator;
}

test('a session by passkey has two factors, and another one of its account what it has shown', async () => {
  const authenticator = await addPasskey();
  const browser = newBrowser('phone');
  expect(await app.use(browser, authenticator)).toMatchObject({ status: 200 });
  await expectAnswers(browser, 2);
  const other = newBrowser('phone');
  await app.signIn(other);
  await expectAnswers(other, 1);
});

test('a session by a passkey without user verification has one factor', async () => {
  const authenticator = await addPasskey(['be', 'bs']);
  const browser = newBrowser('phone');
  expect(await app.use(browser, authenticator)).toMatchObject({ status: 200 });
  await expectAnswers(browser, 1);
});

test('a session by an organization whose sign-in counts as two has two factors', async () => {
  await joinOrganization('saml.vault', 'vault.test');
  const browser = newBrowser('phone');
  expect(await byOrganization(browser, 'saml.vault')).toMatchObject({ status: 200 });
  await expectAnswers(browser, 2);
});
