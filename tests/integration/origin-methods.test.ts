// ASVS: 6.1.3, 6.3.4
// Threats: forbidden-method
// Tests each call that begins or completes a sign-in, at an origin that does not enable its method.
import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { beforeEach, expect, inject, test } from 'vitest';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import type { AppConfig } from '@/lib/shared/config/app-config';
import { nextSecond, type Answer, type CookieJar } from '../support/client';
import { configInForce, writeConfig } from '../support/config-files';
import { codeIn, mailsTo } from '../support/mail';
import { servePasskeys } from '../support/passkey-app';
import { createLinkCode } from '../support/sign-in-link';
import {
  fetchGoogleIdToken,
  fetchIdToken,
  fetchOrganizationIdToken,
  idTokenByCustomToken,
} from '../support/test-users';

const origins = path.join(mkdtempSync(path.join(os.tmpdir(), 'origins-')), 'origins.json');
const ALL: AppConfig['enabledIdentities'] = ['password', 'google.com', 'enterprise'];
const write = (enabledIdentities: AppConfig['enabledIdentities']) =>
  writeConfig(origins, {
    origins: Object.fromEntries(['http', 'https'].map((scheme) => [`${scheme}://localhost`, { enabledIdentities }])),
  });
write(ALL);
process.env.ORIGINS_FILE = origins;
const app = servePasskeys();
const { call, open, newBrowser } = app;

async function enable(identities: AppConfig['enabledIdentities']): Promise<void> {
  write(identities);
  await configInForce();
}
beforeEach(() => enable(ALL));

const freshEmail = (domain = 'campus.test') => `${randomUUID()}@${domain}`;
const getResult = ({ status, body }: Answer) => [status, body?.code];

/** Prepares a sign-in where the method is enabled, and returns the call that completes it. */
type Way = () => Promise<(browser: CookieJar) => Promise<Answer>>;

const begin =
  (path: string, body?: () => object): Way =>
  () =>
    Promise.resolve((browser) => call(browser, path, body?.()));
const present =
  (fetchToken: () => Promise<string>): Way =>
  async () => {
    const token = await fetchToken();
    return (browser) => open(browser, token);
  };
const confirmRegistration: Way = async () => {
  const [browser, email] = [newBrowser(), freshEmail()];
  const { body } = await call(browser, 'registration', { name: 'Mia Test', email, password: 'quiet-lantern-42' });
  const [mail] = await mailsTo({ mailboxUrl: inject('mailboxUrl') }, email);
  return () => call(browser, 'registration/confirm', { flow: body?.flow, code: codeIn(mail ?? { text: '' }) });
};
const usePasskey: Way = async () => {
  const { authenticator } = await app.enroll();
  const browser = newBrowser();
  const { options, challenge } = await app.begin(browser, 'sign-in-options');
  return () => call(browser, 'passkeys/sign-in', { challenge, response: authenticator.get(options) });
};
const useEmailedCode: Way = async () => {
  const [browser, { email }] = [newBrowser(), app.user];
  // A code from the second of its account's creation does not work.
  await nextSecond();
  const { body } = await call(browser, 'email-link', { email });
  const [mail] = await mailsTo({ mailboxUrl: inject('mailboxUrl') }, email);
  return () => call(browser, 'email-link/confirm', { flow: body?.flow, code: codeIn(mail ?? { text: '' }) });
};
const useLink: Way = async () => {
  const code = await createLinkCode(app.user);
  return (browser) => call(browser, 'actions/sign-in', { code, email: app.user.email });
};

const name = 'Mia Test';
/** Sign-ins by their identity in the origin's configuration. */
const WAYS: Record<string, Record<string, Way>> = {
  password: {
    'a registration': begin('registration', () => ({ name, email: freshEmail(), password: 'quiet-lantern-42' })),
    'a registration by passkey': begin('registration', () => ({ name, email: freshEmail(), passkey: true })),
    'the code of a registration': confirmRegistration,
    'a password': present(() => fetchIdToken(app.user)),
    'the request for a link': begin('email-link', () => ({ email: app.user.email })),
    'an emailed code': useEmailedCode,
    'a link': useLink,
    'the options of a passkey': begin('passkeys/sign-in-options'),
    'a passkey': usePasskey,
  },
  'google.com': { 'a social provider': present(() => fetchGoogleIdToken(freshEmail(), true)) },
  enterprise: {
    'the lookup of an organization': begin('enterprise/lookup', () => ({ email: 'erin@acme.test' })),
    'an organization': present(() => fetchOrganizationIdToken('saml.acme', freshEmail('acme.test'))),
  },
};
const cases = Object.entries(WAYS).flatMap(([identity, ways]) =>
  Object.entries(ways).map(([what, way]) => ({ identity, what, way })),
);

test.each(cases)('$what is refused without `$identity`, and accepted with it alone', async ({ identity, way }) => {
  const complete = await way();
  await enable(ALL?.filter((other) => other !== identity));
  const refused = await complete(newBrowser());
  expect(getResult(refused)).toEqual([403, 'provider-not-allowed']);
  expect(Object.keys(refused.cookies).filter((cookie) => cookie.startsWith('_secure'))).toEqual([]);
  // The refusal used up nothing, so the user can complete the sign-in.
  await enable(ALL?.filter((other) => other === identity));
  expect(getResult(await complete(newBrowser()))).toEqual([200, undefined]);
});

test('an origin that is not listed has the methods of the app, not the default', async () => {
  const [browser, token] = [newBrowser(), await fetchIdToken(app.user)];
  await enable(['enterprise']);
  browser.headers.host = 'unlisted.localhost';
  expect(getResult(await open(browser, token))).toEqual([403, 'provider-not-allowed']);
});

test('a provider outside its domains is removed at an origin without organizations, too', async () => {
  const token = await fetchOrganizationIdToken('saml.acme', app.user.email);
  await enable(['password']);
  expect(getResult(await open(newBrowser(), token))).toEqual([422, 'invalid-enterprise-domain']);
  const { providerData } = await getIdentityAdmin().getUser(app.user.uid);
  expect(providerData.map(({ providerId }) => providerId)).not.toContain('saml.acme');
});

test('a social sign-in confirms its email by a code where no password is enabled', async () => {
  const [browser, email] = [newBrowser(), freshEmail()];
  await enable(['google.com']);
  const token = await fetchGoogleIdToken(email, false);
  expect(getResult(await open(browser, token))).toEqual([403, 'email-not-verified']);
  const { body } = await call(browser, 'email-confirmation', { token });
  const [mail] = await mailsTo({ mailboxUrl: inject('mailboxUrl') }, email);
  const code = codeIn(mail ?? { text: '' });
  const { body: confirmed } = await call(browser, 'registration/confirm', { flow: body?.flow, code });
  const answer = await open(browser, await idTokenByCustomToken(String(confirmed?.customToken)));
  expect(getResult(answer)).toEqual([200, undefined]);
});

test('a reset sets a password where none is enabled, and does not sign in', async () => {
  const browser = newBrowser();
  const { body } = await call(browser, 'password-reset', { email: app.user.email });
  const [mail] = await mailsTo({ mailboxUrl: inject('mailboxUrl') }, app.user.email);
  await enable(['enterprise']);
  const typed = { flow: body?.flow, code: codeIn(mail ?? { text: '' }), password: 'quiet-lantern-42' };
  const { status, body: done } = await call(browser, 'password-reset/confirm', typed);
  expect([status, done]).toEqual([200, {}]);
  expect(await fetchIdToken({ ...app.user, password: 'quiet-lantern-42' })).toEqual(expect.any(String));
});

test('a session goes on at an origin that does not enable its method', async () => {
  const browser = newBrowser();
  await app.signIn(browser);
  await enable(['enterprise']);
  expect(await app.check(browser)).toBe(200);
  expect((await app.renew(browser)).status).toBe(200);
});
