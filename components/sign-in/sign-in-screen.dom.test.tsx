import { act, cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { carriedEmail } from '@/lib/browser/account/carried-email';
import { rememberMethod } from '@/lib/browser/auth/sign-in/this-device';
import { renderAtOrigin, renderForBrand } from '@/tests/support/render';
import { SignInScreen } from './sign-in-screen';

vi.mock('next/router', () => ({
  default: { push: () => Promise.resolve(true) },
  useRouter: () => ({ push: () => Promise.resolve(true) }),
}));
afterEach(() => {
  cleanup();
  window.localStorage.clear();
});

it.each([
  [['password'], true],
  [['google.com'], true],
  [['enterprise'], false],
] as const)('/sign-in of an origin with %j leads to a new account: %s', (enabled, isLed) => {
  renderAtOrigin([...enabled], <SignInScreen />);
  expect(screen.queryByRole('link', { name: 'Create an account' }) !== null).toBe(isLed);
});

it.each([
  [['password'], false],
  [['google.com', 'enterprise'], false],
  [['enterprise'], true],
] as const)('of an origin with %j the other ways are open: %s', (enabled, isOpen) => {
  renderAtOrigin([...enabled], <SignInScreen />);
  expect(document.querySelector('details')?.open).toBe(isOpen);
});

it.each([
  ['emailLink', true],
  ['saml.acme', true],
  // Neither the lookup of organizations nor any other list shows a partner.
  ['oidc.acme', false],
])('after a sign-in with %s the other ways are open: %s', async (method, isOpen) => {
  rememberMethod(method);
  renderAtOrigin(['password', 'enterprise'], <SignInScreen />);
  expect(document.querySelector('details')?.open).toBe(isOpen);
  if (!isOpen) await userEvent.click(screen.getByText('More ways to sign in'));
  await screen.findByRole('link', { name: 'Sign in with your organization' });
  expect(screen.queryByText('Last used') !== null).toBe(isOpen);
});

const PLATFORM = 'http://localhost:3001/';

it.each([
  ['absent', {}, null],
  ['off', { showContinueWithoutLogin: false, continueWithoutLoginUrl: 'https://north.test/try' }, null],
  ['on', { showContinueWithoutLogin: true }, PLATFORM],
  [
    'on, with an address of its own',
    { showContinueWithoutLogin: true, continueWithoutLoginUrl: 'https://north.test/try' },
    'https://north.test/try',
  ],
])('where continuing without signing in is %s, its link leads to it or is not there', (_what, brand, address) => {
  renderForBrand(brand, <SignInScreen />);
  const link = screen.queryByRole<HTMLAnchorElement>('link', { name: 'Continue without signing in' });
  expect(link?.href ?? null).toBe(address);
});

it.each([
  [{}, false],
  [{ showBetaResetPasswordBanner: false }, false],
  [{ showBetaResetPasswordBanner: true }, true],
])('of an origin with %j, a new password is offered: %s', (brand, isOffered) => {
  renderForBrand(brand, <SignInScreen />);
  const link = screen.queryByRole('link', { name: 'Choose a new password' });
  expect(link?.getAttribute('href') ?? null).toBe(isOffered ? '/forget-password' : null);
});

it('"Forgot password?" carries an email that a password manager filled in without an event', async () => {
  renderAtOrigin(['password'], <SignInScreen />);
  const field = screen.getByRole<HTMLInputElement>('textbox', { name: 'Email' });
  // The field has no focus, as on a phone. Leaving it would be an event.
  act(() => field.blur());
  field.value = 'lena@campus.test';
  await userEvent.setup().click(screen.getByRole('link', { name: 'Forgot password?' }));
  await waitFor(() => expect(carriedEmail.get()).toBe('lena@campus.test'));
});
