import { act, cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import type { SignInFailure } from '@/lib/browser/auth/sign-in/error-codes';
import { renderAtOrigin } from '@/tests/support/render';
import { ProviderButtons, ProviderStatus, useProviderSignIn } from './provider-sign-in';

const attempts: ((failure: SignInFailure) => void)[] = [];
vi.mock('@/lib/browser/auth/sign-in/load-sign-in', () => ({
  preloadProviderSignIn: () => undefined,
  loadProviderSignIn: () =>
    Promise.resolve({
      preloadAuth: () => undefined,
      signInWithProvider: () => new Promise((fail) => attempts.push(fail)),
    }),
}));
afterEach(() => {
  cleanup();
  attempts.length = 0;
});

function Screen() {
  const signIn = useProviderSignIn();
  return (
    <>
      <ProviderStatus signIn={signIn} />
      <ProviderButtons providers={['google.com']} lastUsed={null} signIn={signIn} />
    </>
  );
}
const press = async (attempt: number) => {
  await userEvent.click(screen.getByRole('button', { name: 'Continue with Google' }));
  await waitFor(() => expect(attempts).toHaveLength(attempt));
};
const fail = (attempt: number, failure: SignInFailure) => act(() => Promise.resolve(attempts[attempt - 1]?.(failure)));

it('shows no failure of a sign-in from before Back', async () => {
  renderAtOrigin(['google.com'], <Screen />, { socialSignIn: 'redirect' });
  await press(1);
  act(() => void window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true })));
  await fail(1, { code: 'auth/network-request-failed', retryAfter: null });
  expect(screen.queryByRole('alert')).toBeNull();
});

it('says how long a learner has to wait, and no longer', async () => {
  renderAtOrigin(['google.com'], <Screen />, { socialSignIn: 'redirect' });
  await press(1);
  await fail(1, { code: 'auth/email-not-verified', retryAfter: 1 });
  await screen.findByText('You can try again in 1 second.');
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
});
