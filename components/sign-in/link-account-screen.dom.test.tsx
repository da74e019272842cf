// Threats: pending-credential
import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SessionBootstrap } from '@/components/session/session-bootstrap';
import { carriedEmail } from '@/lib/browser/account/carried-email';
import { getPendingLink, keepPendingLink } from '@/lib/browser/auth/pending';
import { PublicEnvProvider } from '@/lib/browser/config/context';
import { writeCookie } from '@/lib/browser/cookies';
import { getPublicEnv, parseEnv } from '@/lib/server/runtime/config/env';
import type { PageConfig } from '@/lib/shared/config/app-config';
import type { Language } from '@/lib/shared/i18n/languages';
import { renderAtOrigin } from '@/tests/support/render';
import { LinkAccountScreen } from './link-account-screen';

const env = getPublicEnv(parseEnv({ FIREBASE_AUTH_EMULATOR_HOST: '127.0.0.1:9' }));
beforeEach(() => window.sessionStorage.clear());
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

async function open(
  methods: string[],
  enabled: NonNullable<PageConfig['enabledIdentities']>,
  language: Language = 'en',
) {
  keepPendingLink({ email: 'ola@acme.test', provider: 'github.com', credential: {}, methods });
  renderAtOrigin(enabled, <LinkAccountScreen />, {}, language);
  await screen.findByRole('link', { name: 'Sign in another way' });
}

const ORGANIZATION = { name: 'Sign in with your organization' };

it.each<[string[], NonNullable<PageConfig['enabledIdentities']>, boolean]>([
  [[], ['password', 'enterprise'], true],
  [[], ['password'], false],
  [['password'], ['password', 'enterprise'], false],
])('of an account with the methods %j, at an origin with %j, the organization is offered: %s', async (...facts) => {
  const [methods, enabled, isOffered] = facts;
  await open(methods, enabled);
  expect(screen.queryByRole('link', ORGANIZATION) !== null).toBe(isOffered);
});

it.each<[string[], NonNullable<PageConfig['enabledIdentities']>, boolean]>([
  [[], ['password'], true],
  [[], ['enterprise'], false],
  [['password'], ['password'], false],
])(
  'of an account with the methods %j, at an origin with %j, passkeys and links are spoken of: %s',
  async (...facts) => {
    const [methods, enabled, isTold] = facts;
    await open(methods, enabled);
    expect(screen.queryByText(/GitHub isn't connected then: connect it afterwards on your Account page/) !== null).toBe(
      isTold,
    );
  },
);

it('leads to the organization with the email of the account', async () => {
  await open([], ['password', 'enterprise']);
  const link = screen.getByRole('link', ORGANIZATION);
  expect(link.getAttribute('href')).toBe('/sign-in/enterprise');
  await userEvent.click(link);
  expect(carriedEmail.get()).toBe('ola@acme.test');
});

it('a second wrong password leads to a new one, with the email of the account', async () => {
  const error = { code: 400, message: 'INVALID_LOGIN_CREDENTIALS' };
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ error }, { status: 400 })));
  await open(['password'], ['password']);
  for (const _attempt of [1, 2]) {
    await userEvent.type(screen.getByLabelText('Password'), 'not-my-password{Enter}');
    await screen.findByText(/^Incorrect email or password/);
  }
  await screen.findByText('Not sure of your password? Select “Forgot password?” below.');
  const link = screen.getByRole('link', { name: 'Forgot password?' });
  expect(link.getAttribute('href')).toBe('/forget-password');
  await userEvent.click(link);
  expect(carriedEmail.get()).toBe('ola@acme.test');
});

it.each([
  ['/sign-in/link-account', true],
  ['/sign-in/enterprise', true],
  ['/sign-in', false],
  ['/sign-in/with-email-link', false],
])('on %s the credential waits: %s', (page, waits) => {
  keepPendingLink({ email: 'ola@acme.test', provider: 'github.com', credential: {}, methods: [] });
  window.location.href = `http://localhost:3000${page}`;
  render(
    <PublicEnvProvider value={env}>
      <SessionBootstrap bounced={null} accountUid={undefined} />
    </PublicEnvProvider>,
  );
  expect(getPendingLink() !== null).toBe(waits);
});

it.each<[Language, string]>([
  ['en', 'Facebook, GitHub'],
  ['ar', 'Facebook، GitHub'],
  ['ja', 'Facebook、GitHub'],
])('lists the methods with the comma of %s', async (language, methods) => {
  await open(['facebook.com', 'github.com'], ['facebook.com', 'github.com'], language);
  expect(screen.getByText(/^You currently sign in with:/).textContent).toContain(`: ${methods}.`);
});

it('an embedded browser does not offer Google, which would refuse', async () => {
  vi.spyOn(navigator, 'userAgent', 'get').mockReturnValue(
    'Mozilla/5.0 (Linux; Android 15; wv) AppleWebKit/537.36 Version/4.0 Chrome/137.0.0.0 Mobile Safari/537.36',
  );
  await open(['google.com', 'facebook.com'], ['google.com', 'facebook.com']);
  expect(screen.queryByRole('button', { name: 'Continue with Google' })).toBeNull();
  expect(screen.getByRole('button', { name: 'Continue with Facebook' })).toBeDefined();
  await screen.findByText(/^You can't sign in with Google inside another app/);
});

it('says that there is nothing to connect, and not that it continues', async () => {
  writeCookie('callbackUrl', 'http://localhost:3001/lessons/1', env.mainDomain);
  renderAtOrigin(['password'], <LinkAccountScreen />);
  expect(screen.queryByText(/One account for everything|You'll continue/)).toBeNull();
  await screen.findByText(/^There's nothing to connect here/);
  expect(screen.queryByText(/You'll continue/)).toBeNull();
  writeCookie('callbackUrl', '', env.mainDomain);
});
