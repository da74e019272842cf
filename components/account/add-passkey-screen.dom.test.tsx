// ASVS: 7.5.1
// Threats: planted-passkey
import { cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { goToCallback } from '@/lib/browser/callback';
import { ApiProblem } from '@/lib/shared/problem';
import type { PasskeyOffer } from '@/lib/shared/account/passkeys';
import { passwordAccount, renderAtOrigin } from '@/tests/support/render';
import { AddPasskeyScreen } from './add-passkey-screen';

vi.mock('next/router', () => ({ default: {}, useRouter: () => ({ replace: () => Promise.resolve(true) }) }));
vi.mock(import('@/lib/browser/callback'), async (original) => ({ ...(await original()), goToCallback: vi.fn() }));

beforeEach(() => {
  const problem = new ApiProblem('recent-login-required');
  vi.stubGlobal('PublicKeyCredential', class {});
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json(problem, { status: problem.status })));
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.mocked(goToCallback).mockClear();
});

/** Creates a passkey for an owner who presses the button more than 5 minutes after the sign-in. */
async function createLate(offer: PasskeyOffer, methods: string[], passkeys = 0) {
  const account = {
    ...passwordAccount,
    methods: methods.map((id) => ({ id, email: null, usable: true })),
    passkeys,
  };
  renderAtOrigin(['password'], <AddPasskeyScreen offer={offer} account={account} />);
  await userEvent.click(screen.getByRole('button', { name: 'Create a passkey' }));
  await screen.findByText("Confirm it's you first, then add a passkey.");
}

const PASSWORD = 'Current password';
const PASSKEY = 'Confirm with a passkey';
const AGAIN = 'Use an emailed link';

it.each<[string[], number, string[]]>([
  [['password'], 0, [PASSWORD, AGAIN]],
  [['password', 'google.com'], 0, [PASSWORD, 'Confirm with Google']],
  [['google.com'], 0, ['Confirm with Google']],
  [['saml.acme'], 0, ['Confirm with SSO']],
  [['password'], 1, [PASSWORD, PASSKEY]],
  [[], 1, [PASSKEY]],
])('an account with %j and %i passkeys confirms by %j', async (methods, passkeys, ways) => {
  await createLate('another', methods, passkeys);
  if (ways.includes(AGAIN)) await screen.findByRole('button', { name: AGAIN });
  const shown = [PASSWORD, PASSKEY, 'Confirm with Google', 'Confirm with SSO', AGAIN].filter(
    (name) => screen.queryByRole('button', { name }) ?? screen.queryByLabelText(name),
  );
  expect(shown.sort()).toEqual([...ways].sort());
});

it('without any method, the way is an emailed link', async () => {
  await createLate('instead-of-password', []);
  await screen.findByText(/^No password\? Sign in again with an emailed link/);
  expect(screen.getByRole('button', { name: AGAIN })).toBeTruthy();
});

it.each<[PasskeyOffer, string[]]>([
  ['another', ['google.com']],
  ['instead-of-password', []],
])('the way on stays open: %s', async (offer, methods) => {
  await createLate(offer, methods);
  await userEvent.click(screen.getByRole('button', { name: 'Not now' }));
  expect(goToCallback).toHaveBeenCalledTimes(1);
  await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(document.activeElement?.textContent).toBe('Create a passkey'));
});

it('leads on where nothing can be offered', () => {
  renderAtOrigin(['password'], <AddPasskeyScreen offer="none" account={null} />);
  expect(goToCallback).toHaveBeenCalledTimes(1);
});
