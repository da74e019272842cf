// Threats: factor-skipped, foreign-client
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { nextSecond, type CookieJar } from '../support/client';
import { Navigator } from '../support/navigator';
import { begin, CALLBACK, complete, describeClient, discover, writeClients, writeKeys } from '../support/relying-party';
import { beginSignIn, codeFrom, exchangeCode, signInWithCustomToken } from '../../examples/mobile/client.mjs';
import { authorizeMobileApp } from '../support/mobile-app';
import { configureOrigin, serveRemembered } from '../support/remembered-browser';
import { createWays } from '../support/second-factor-ways';
import { SoftwareAuthenticator } from '../support/software-authenticator';
import { fetchIdToken } from '../support/test-users';

writeClients({ moodle: describeClient() });
writeKeys('first');

const app = serveRemembered();
beforeAll(() =>
  configureOrigin({ rememberBrowsers: true, enabledIdentities: ['password', 'google.com', 'enterprise'] }),
);
const { newBrowser, enrol, show } = app;
const { ways: ofOneFactor, joinOrganization, byOrganization } = createWays(app);
const ways = {
  ...ofOneFactor,
  'a partner': (browser: CookieJar) => byOrganization(browser, 'oidc.acme'),
};
/** The methods of each first factor, if they are certain (RFC 8176). */
const AMR: Record<string, string[] | undefined> = {
  password: ['pwd'],
  'a social provider': undefined,
  'an email link': ['otp'],
  'an emailed code': ['otp'],
  'the code that confirms an email': ['otp'],
  'a password reset by code': ['pwd'],
  'a password reset by link': ['pwd'],
  'an organization whose sign-in counts as one': undefined,
  'a partner': undefined,
};
const DOMAINS: Record<string, [provider: string, domain: string]> = {
  'an organization whose sign-in counts as one': ['saml.acme', 'acme.test'],
  'a partner': ['oidc.acme', 'partner.test'],
};

/**
 * Parameters of a client's request, and the result for a session of one and of two factors. The result is its `acr`, an
 * error, or the sign-in page.
 */
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

/** @param amr `amr` of the ID tokens */
async function expectAnswers(browser: CookieJar, factors: 1 | 2, amr: string[] | undefined): Promise<void> {
  // Without this, a proof of the last seconds would count as later than the request.
  app.advance(20);
  for (const [parameters, one, two] of REQUESTS) {
    const { got, claims } = await ask(browser, parameters);
    expect([parameters, got]).toEqual([parameters, factors === 1 ? one : two]);
    if (!claims) continue;
    expect(claims.sub).toBe(app.user.uid);
    expect(claims.amr).toEqual(amr);
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
    await expectAnswers(browser, 1, AMR[name]);
  });

  test('and a code gets what it has', async () => {
    const { codeAt } = await enrol();
    await nextSecond();
    const browser = newBrowser('phone');
    expect((await signIn(browser)).status).toBe(403);
    expect(await show(browser, { code: codeAt() })).toMatchObject({ status: 200 });
    await expectAnswers(browser, 2, [...new Set([...(AMR[name] ?? []), 'otp', 'mfa'])]);
  });
});

test('a session of a remembered browser, which was not asked for a code, has one factor', async () => {
  const enrolled = await enrol();
  const phone = await app.remember(enrolled);
  expect(await app.signInAgain(phone)).toMatchObject({ status: 200 });
  await expectAnswers(phone, 1, ['pwd']);
});

test('an organization by OpenID Connect opens no session: its learners use SAML, or are those of a partner', async () => {
  await joinOrganization('oidc.north', 'north.test');
  const browser = newBrowser('phone');
  expect((await byOrganization(browser, 'oidc.north')).status).toBe(403);
  expect((await ask(browser, { prompt: 'none' })).got).toBe('login_required');
});

describe('what the session of a browser is handed on to', () => {
  /** Selects the account for the mobile app in a browser that is also on its way to a client. */
  async function authorizeApp(browser: CookieJar): Promise<string> {
    app.advance(20);
    const navigator = new Navigator(app.origin);
    navigator.take(browser.cookies);
    const config = await discover(app.origin, 'moodle');
    const started = await begin(config, { prompt: 'login' });
    const signInPage = await navigator.follow(started.address);
    expect(signInPage.pathname).toBe('/sign-in');

    const begun = beginSignIn({ appOrigin: app.origin });
    const session = browser.cookies['_secure-user-session'] ?? '';
    const cookies = [...navigator.jar].map(([key, { value }]) => `${key.split(' ')[0] ?? ''}=${value}`);
    const { status, body } = await authorizeMobileApp(app.origin, begun.address, session, {}, cookies);
    expect(status).toBe(200);
    const code = codeFrom(String(body?.address), begun);
    const customToken = await exchangeCode({ appOrigin: app.origin, code, verifier: begun.verifier });
    const emulatorHost = process.env.FIREBASE_AUTH_EMULATOR_HOST ?? '';
    const token = await signInWithCustomToken({ emulatorHost, customToken });
    // The client's request is unchanged.
    const back = signInPage.searchParams.get('redirect_uri') ?? '';
    expect((await navigator.follow(new URL(back))).pathname).toBe('/sign-in');
    return token;
  }

  test.each([1, 2] as const)('has the factors that it had, by the mobile app: %i', async (factors) => {
    const browser = newBrowser('phone');
    const enrolled = factors === 2 ? await enrol() : null;
    await nextSecond();
    await app.open(browser, await fetchIdToken(app.user));
    if (enrolled) expect(await show(browser, { code: enrolled.codeAt() })).toMatchObject({ status: 200 });
    const token = await authorizeApp(browser);
    await expectAnswers(browser, factors, factors === 2 ? ['pwd', 'otp', 'mfa'] : ['pwd']);
    const other = newBrowser();
    expect(await app.open(other, token)).toMatchObject({ status: 200 });
    // The custom token states that it was handed on, but not the first factor.
    await expectAnswers(other, factors, factors === 2 ? ['otp', 'mfa'] : undefined);
  });
});

// Organizations and partners do not allow passkey sign-ins here.
describe.each(Object.entries(ways).filter(([name]) => DOMAINS[name] === undefined))(
  'a session by %s',
  (name, signIn) => {
    test('of an account with a passkey gets what it has shown', async () => {
      await addPasskey();
      await nextSecond();
      const browser = newBrowser('phone');
      expect(await signIn(browser)).toMatchObject({ status: 200 });
      await expectAnswers(browser, 1, AMR[name]);
    });
  },
);

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
  await expectAnswers(browser, 2, ['pop', 'mfa']);
  const other = newBrowser('phone');
  await app.signIn(other);
  await expectAnswers(other, 1, ['pwd']);
});

test('a session by a passkey without user verification has one factor', async () => {
  const authenticator = await addPasskey(['be', 'bs']);
  const browser = newBrowser('phone');
  expect(await app.use(browser, authenticator)).toMatchObject({ status: 200 });
  await expectAnswers(browser, 1, ['pop']);
});

test('a session by an organization whose sign-in counts as two has two factors', async () => {
  await joinOrganization('saml.vault', 'vault.test');
  const browser = newBrowser('phone');
  expect(await byOrganization(browser, 'saml.vault')).toMatchObject({ status: 200 });
  await expectAnswers(browser, 2, ['mfa']);
});
