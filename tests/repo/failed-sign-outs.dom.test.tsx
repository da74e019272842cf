import { cleanup, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReactElement } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SignInAgain } from '@/components/account/sign-in-again';
import { SignOutChoices } from '@/components/account/sign-out-section';
import { AccountMismatch } from '@/components/email-action/panels';
import { useSignedInUser } from '@/components/email-action/use-email-action';
import RedirectLoopScreen from '@/components/session/redirect-loop-screen';
import { SecondFactorScreen } from '@/components/sign-in/second-factor/second-factor-screen';
import { showToast } from '@/components/ui/toasts';
import { PublicEnvProvider } from '@/lib/browser/config/context';
import { setAuthStatus } from '@/lib/browser/session/state';
import { getPublicEnv, parseEnv } from '@/lib/server/runtime/config/env';
import bounced from '@/locales/en/bounced.json';
import common from '@/locales/en/common.json';
import { renderWithTexts } from '@/tests/support/render';
import { EmptyShell } from '@/components/session/signed-in-shell';

vi.mock('@/components/ui/toasts', () => ({ showToast: vi.fn(() => Promise.resolve()) }));
vi.mock('@/lib/browser/auth/provider/provider-session', () => ({ signOutOfFirebase: () => Promise.resolve() }));
vi.mock('@/lib/browser/session/session-end', () => ({
  useSessionEnd: () => new Date(0),
  extendSession: () => Promise.resolve('sign-in-required'),
}));
vi.mock('next/router', () => ({ default: {}, useRouter: () => ({ pathname: '/app-shell' }) }));

const env = getPublicEnv(parseEnv({ FIREBASE_AUTH_EMULATOR_HOST: '127.0.0.1:9' }));

beforeEach(() => {
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(null, { status: 503 })));
  const session = { uid: 'mia', email: 'mia@example.org', displayName: null, photoURL: null, emailVerified: true };
  const never = '2100-01-01T00:00:00Z';
  setAuthStatus({
    status: 'authenticated',
    session: { ...session, expiresAt: never, refreshAfter: never, assurance: 1 },
  });
});
afterEach(() => {
  cleanup();
  vi.clearAllMocks();
  vi.unstubAllGlobals();
});

function Mismatch() {
  const { email, signOut } = useSignedInUser();
  return <AccountMismatch present={email ?? 'signed out'} wanted="leo@example.org" onSwitch={signOut} />;
}

const screens: [string, ReactElement, string[]][] = [
  ['a link of another account', <Mismatch key="" />, ['Sign out and use the link']],
  ['a change that needs a new sign-in', <SignInAgain key="" email={null} />, ['Sign in again']],
  ['a step-up', <SecondFactorScreen key="" stepUp />, ['Sign in again']],
  ['a session about to end', <EmptyShell key="" />, ['Stay signed in', 'Sign in again']],
  ['the header', <EmptyShell key="" />, ['Sign out']],
];

async function press(element: ReactElement, buttons: string[]) {
  renderWithTexts(<PublicEnvProvider value={env}>{element}</PublicEnvProvider>);
  const user = userEvent.setup();
  for (const name of buttons) await user.click(await screen.findByRole('button', { name }));
}

it.each(screens)('%s: a failed sign-out says so, and can be repeated', async (_where, element, buttons) => {
  await press(element, buttons);
  await vi.waitFor(() =>
    expect(showToast).toHaveBeenCalledWith('error', expect.stringMatching(/^We couldn't sign you out/)),
  );
  expect(screen.getByRole('button', { name: buttons.at(-1) }).getAttribute('aria-disabled')).toBeNull();
});

it.each([
  ['all devices', <SignOutChoices key="" />, ['Sign out everywhere', 'Sign out everywhere']],
  ['a redirect loop', <RedirectLoopScreen key="" />, [bounced.startAgain]],
])('%s: a failed sign-out says beside its button that one may still be signed in', async (_where, element, buttons) => {
  await press(element, buttons);
  await screen.findByText(common.signOutFailed);
});

it('a failed sign-out says so where the toast cannot be loaded', async () => {
  const alert = vi.fn();
  vi.stubGlobal('alert', alert);
  vi.mocked(showToast).mockRejectedValueOnce(new Error('offline'));
  await press(<EmptyShell />, ['Sign out']);
  await vi.waitFor(() => expect(alert).toHaveBeenCalledWith(expect.stringMatching(/^We couldn't sign you out/)));
});
