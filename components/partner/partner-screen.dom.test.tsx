import { act, cleanup, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Suspense } from 'react';
import { afterEach, expect, it, vi } from 'vitest';
import type { SignInFailure } from '@/lib/browser/auth/sign-in/error-codes';
import { signInWithPartner } from '@/lib/browser/auth/sign-in/sso';
import { PublicEnvProvider } from '@/lib/browser/config/context';
import { writeCookie } from '@/lib/browser/cookies';
import { getPublicEnv, parseEnv } from '@/lib/server/runtime/config/env';
import { renderWithTexts } from '@/tests/support/render';
import { PartnerScreen } from './partner-screen';

vi.mock(import('@/lib/browser/auth/sign-in/sso'), async (original) => ({
  ...(await original()),
  signInWithPartner: vi.fn(() => new Promise<never>(() => undefined)),
}));
afterEach(() => {
  cleanup();
  vi.clearAllMocks();
});

const env = getPublicEnv(parseEnv({ FIREBASE_AUTH_EMULATOR_HOST: '127.0.0.1:9' }));
const screenWith = (bounced: boolean | null | undefined, value = env) => (
  <PublicEnvProvider value={value}>
    <Suspense>
      <PartnerScreen partner={{ name: 'Acme', provider: 'oidc.acme' }} bounced={bounced} />
    </Suspense>
  </PublicEnvProvider>
);
const open = (bounced: boolean | null | undefined) => renderWithTexts(screenWith(bounced));

it('ends a redirect loop, and starts no sign-in by itself', async () => {
  open(true);
  await screen.findByText("We couldn't finish signing you in");
  expect(signInWithPartner).not.toHaveBeenCalled();
});

it.each([undefined, null])('starts the sign-in where there is no loop: %s', async (bounced) => {
  open(bounced);
  await vi.waitFor(() => expect(signInWithPartner).toHaveBeenCalledTimes(1));
});

it('does not start again when the Back button has loaded the page', async () => {
  const entries = vi.spyOn(performance, 'getEntriesByType');
  entries.mockReturnValue([{ type: 'back_forward' } as unknown as PerformanceEntry]);
  open(null);
  await screen.findByText(/didn't finish/);
  expect(signInWithPartner).not.toHaveBeenCalled();
  await userEvent.click(screen.getByRole('button', { name: 'Continue with Acme' }));
  expect(signInWithPartner).toHaveBeenCalledTimes(1);
  entries.mockRestore();
});

it('does not wait for a partner that the learner has come back from', async () => {
  let fail: (failure: SignInFailure) => void = () => undefined;
  vi.mocked(signInWithPartner).mockReturnValueOnce(new Promise((resolve) => (fail = resolve)));
  open(null);
  await vi.waitFor(() => expect(signInWithPartner).toHaveBeenCalledTimes(1));
  const button = screen.getByRole('button', { name: 'Continue with Acme' });
  expect(button.getAttribute('aria-disabled')).toBe('true');
  act(() => void window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true })));
  expect(button.getAttribute('aria-disabled')).toBeNull();
  await userEvent.click(button);
  expect(signInWithPartner).toHaveBeenCalledTimes(2);
  // The earlier sign-in ends.
  await act(() => Promise.resolve(fail({ code: 'auth/network-request-failed', retryAfter: null })));
  expect(button.getAttribute('aria-disabled')).toBe('true');
  expect(screen.queryByText(/^We couldn't reach/)).toBeNull();
});

it("does not stop for another organization's sign-in that had no result", async () => {
  writeCookie('ssoLoginInit', 'saml.north', env.mainDomain);
  open(null);
  await vi.waitFor(() => expect(signInWithPartner).toHaveBeenCalledTimes(1));
  expect(screen.queryByText(/didn't finish/)).toBeNull();
});

it('another language does not start again what the learner was asked about', async () => {
  writeCookie('ssoLoginInit', 'oidc.acme', env.mainDomain);
  const { show } = open(null);
  await screen.findByText(/didn't finish/);
  // The page is shown again with another environment. The cookie is removed by then.
  await vi.waitFor(() => expect(document.cookie).not.toContain('oidc.acme'));
  show(screenWith(null, { ...env }));
  await act(() => new Promise((done) => setTimeout(done, 50)));
  expect(screen.queryByText(/didn't finish/)).not.toBeNull();
  expect(signInWithPartner).not.toHaveBeenCalled();
});

it('does not speak of what was typed: there is no form', async () => {
  vi.mocked(signInWithPartner).mockResolvedValueOnce({ code: 'auth/session-unavailable', retryAfter: null });
  open(null);
  expect((await screen.findByText(/Try again in a moment/)).textContent).not.toMatch(/still here/);
});

it('a link of an unknown partner does not say that it continues', () => {
  writeCookie('callbackUrl', 'http://localhost:3001/lessons/1', env.mainDomain);
  renderWithTexts(
    <PublicEnvProvider value={env}>
      <PartnerScreen partner={null} />
    </PublicEnvProvider>,
  );
  expect(screen.queryByText(/You'll continue/)).toBeNull();
  writeCookie('callbackUrl', '', env.mainDomain);
});
