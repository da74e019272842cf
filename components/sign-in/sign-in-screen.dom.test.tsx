import { act, cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ACCOUNTS_KEY } from '@/lib/browser/auth/sign-in/this-device';
import { AppConfigProvider, PublicEnvProvider } from '@/lib/browser/config/context';
import { getPublicEnv, parseEnv } from '@/lib/server/runtime/config/env';
import { renderWithTexts } from '@/tests/support/render';
import { SignInScreen } from './sign-in-screen';

vi.mock(import('@/lib/browser/auth/sign-in/load-sign-in'), () => ({
  loadProviderSignIn: () => new Promise<never>(() => undefined),
  loadPasswordSignIn: () => new Promise<never>(() => undefined),
}));

const env = getPublicEnv(parseEnv({ FIREBASE_AUTH_EMULATOR_HOST: '127.0.0.1:9' }));
const account = { uid: 'mia', email: 'mia@campus.test', name: 'Mia', method: 'password' };

beforeEach(() => localStorage.setItem(ACCOUNTS_KEY, JSON.stringify([account])));
afterEach(() => {
  cleanup();
  localStorage.clear();
});

/** @returns lets the list's script arrive */
function open(): () => Promise<void> {
  let arrive = () => {};
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  const loaded = vi.fn<() => void>();
  vi.doMock(import('./account-chooser'), async (original) => {
    await arrived;
    loaded();
    return original();
  });
  renderWithTexts(
    <PublicEnvProvider value={env}>
      <AppConfigProvider value={{ enabledIdentities: ['password', 'google.com'] }}>
        <SignInScreen />
      </AppConfigProvider>
    </PublicEnvProvider>,
  );
  return async () => {
    arrive();
    await waitFor(() => expect(loaded).toHaveBeenCalled());
    await act(() => new Promise((resolve) => setTimeout(resolve, 50)));
  };
}
const list = () => screen.queryByRole('region', { name: 'Choose an account' });
const email = () => screen.getByLabelText('Email');
const google = () => screen.getByRole('button', { name: /Google/ });

it('shows the accounts of the browser while the form is not in use', async () => {
  const arrive = open();
  expect(document.activeElement).toBe(document.body);
  await arrive();
  expect(list()).not.toBeNull();
});

it('keeps the form, and what a pressed button has begun, when the accounts arrive later', async () => {
  const arrive = open();
  await userEvent.click(google());
  google().blur();
  await arrive();
  expect(list()).toBeNull();
  expect(google().getAttribute('aria-disabled')).toBe('true');
});

it('keeps a field that has the focus', async () => {
  const arrive = open();
  email().focus();
  await arrive();
  expect(list()).toBeNull();
  expect(document.activeElement).toBe(email());
});
