import { act, cleanup, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Suspense } from 'react';
import { afterEach, expect, it, vi } from 'vitest';
import { signInWithPartner } from '@/lib/browser/auth/sign-in/sso';
import { PublicEnvProvider } from '@/lib/browser/config/context';
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
const open = (bounced: boolean | null | undefined) =>
  renderWithTexts(
    <PublicEnvProvider value={env}>
      <Suspense>
        <PartnerScreen partner={{ name: 'Acme', provider: 'oidc.acme' }} bounced={bounced} />
      </Suspense>
    </PublicEnvProvider>,
  );

it('ends a redirect loop, and starts no sign-in by itself', async () => {
  open(true);
  await screen.findByText("We couldn't finish signing you in");
  expect(signInWithPartner).not.toHaveBeenCalled();
});

it.each([undefined, null])('starts the sign-in where there is no loop: %s', async (bounced) => {
  open(bounced);
  await vi.waitFor(() => expect(signInWithPartner).toHaveBeenCalledTimes(1));
});

it('does not wait for a partner that the learner has come back from', async () => {
  open(null);
  await vi.waitFor(() => expect(signInWithPartner).toHaveBeenCalledTimes(1));
  const button = screen.getByRole('button', { name: 'Continue with Acme' });
  expect(button.getAttribute('aria-disabled')).toBe('true');
  act(() => void window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true })));
  expect(button.getAttribute('aria-disabled')).toBeNull();
  await userEvent.click(button);
  expect(signInWithPartner).toHaveBeenCalledTimes(2);
});
