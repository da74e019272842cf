import { cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { takeReturnByLink, keepReturnForLink } from '@/lib/browser/auth/link-return';
import { loadAuth } from '@/lib/browser/auth/provider/firebase';
import { captureCallback, getDestination } from '@/lib/browser/callback';
import { downloadFile } from '@/lib/browser/download-file';
import { getPublicEnv, parseEnv } from '@/lib/server/runtime/config/env';
import type { HandoffClaims } from '@/lib/server/session/tokens';
import type { AccountSecurity } from '@/lib/shared/account/security';
import { ApiProblem } from '@/lib/shared/problem';
import { securityApiPaths } from '@/lib/shared/security-paths';
import { renderAtOrigin } from '@/tests/support/render';
import { DataSection } from './data-section';

vi.mock('next/router', () => ({ default: {}, useRouter: () => ({ replace: () => Promise.resolve(true) }) }));
// The identity provider, and the file that the browser saves.
vi.mock(import('@/lib/browser/auth/provider/firebase'), async (original) => ({
  ...(await original()),
  loadAuth: vi.fn<typeof loadAuth>(),
}));
vi.mock('@/lib/browser/download-file', () => ({ downloadFile: vi.fn() }));

const env = getPublicEnv(parseEnv({ FIREBASE_AUTH_EMULATOR_HOST: '127.0.0.1:9' }));
const MINUTE_MS = 60_000;
const account: AccountSecurity = {
  uid: 'uid-1',
  name: null,
  email: 'mia@campus.test',
  emailVerified: true,
  methods: [{ id: 'password', email: null, usable: true }],
  passkeys: 0,
  hasSecondFactor: false,
  lastSignIn: null,
};
const google = { id: 'google.com', email: null, usable: true };

/** The user of the identity provider in this browser, as our server has signed them in. */
function signIn(claims: Partial<HandoffClaims>, uid = account.uid): void {
  const currentUser = {
    uid,
    getIdToken: () => Promise.resolve('token-1'),
    getIdTokenResult: () => Promise.resolve({ claims: { learner_identity: claims } }),
  };
  const auth = { currentUser, authStateReady: () => Promise.resolve(), signOut: () => Promise.resolve() };
  vi.mocked(loadAuth).mockResolvedValue(auth as unknown as Awaited<ReturnType<typeof loadAuth>>);
}
const byEmail = (ago: number): HandoffClaims => ({
  method: 'email',
  proved_at: (Date.now() - ago) / 1000,
  session: 'a',
});

let answers: Partial<Record<string, Response>> = {};
const asked: { path: string; body: unknown }[] = [];
const leave = vi.fn<Location['assign']>();
beforeEach(() => {
  answers = {};
  asked.length = 0;
  signIn({});
  vi.stubGlobal('fetch', (path: string, { body }: { body?: string }) => {
    asked.push({ path, body: body === undefined ? null : JSON.parse(body) });
    return Promise.resolve(answers[path] ?? Response.json({ uid: account.uid }));
  });
  window.location.href = 'http://localhost:3000/security';
  vi.spyOn(window.location, 'assign').mockImplementation(leave);
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  leave.mockClear();
  vi.mocked(loadAuth).mockReset();
  window.localStorage.clear();
  window.sessionStorage.clear();
});

const show = (given: Partial<AccountSecurity> = {}) =>
  renderAtOrigin(['password'], <DataSection account={{ ...account, ...given }} deletion={{ effectiveAt: null }} />);
const begin = (name: string) => userEvent.click(screen.getByRole('button', { name }));
const findAgain = () => screen.findByRole('button', { name: 'Use an emailed link' });

it.each<[string, Partial<AccountSecurity>, { password: boolean; link: boolean }]>([
  ['a password, which may be none', {}, { password: true, link: true }],
  ['nothing', { methods: [] }, { password: false, link: true }],
  ['a provider', { methods: [google] }, { password: false, link: false }],
  ['a password and a provider', { methods: [...account.methods, google] }, { password: true, link: false }],
  // This browser has no passkeys.
  ['a passkey of another browser', { methods: [], passkeys: 1 }, { password: false, link: true }],
])('an account with %s confirms by what it has, or by an emailed link', async (_what, given, ways) => {
  show(given);
  await begin('Download my data');
  await waitFor(() => expect(loadAuth).toHaveBeenCalledTimes(ways.link ? 1 : 0));
  expect(screen.queryByLabelText('Current password') !== null).toBe(ways.password);
  expect(screen.queryByRole('button', { name: 'Use an emailed link' }) !== null).toBe(ways.link);
});

it('the link leads back to what was begun, in the tab that it opens', async () => {
  show();
  await begin('Delete my account');
  await userEvent.click(await findAgain());
  await waitFor(() => expect(leave).toHaveBeenCalledWith('/sign-in/with-email-link?return_to=security'));
  window.location.href = 'http://localhost:3000/sign-in/with-email-link?return_to=security';
  captureCallback(env);
  keepReturnForLink('Mia@campus.test');
  cleanup();
  // Another tab.
  window.sessionStorage.clear();
  window.location.href = 'http://localhost:3000/actions';
  takeReturnByLink('mia@campus.test');
  expect(getDestination(env)).toBe('/security');
  signIn(byEmail(MINUTE_MS));
  show();
  expect(screen.getByRole('group').textContent).toMatch(/^Confirm it's you to delete your account\./);
  await screen.findByText(/^No password\? You've just signed in by email/);
});

it('a sign-in by email of the last minutes confirms', async () => {
  signIn(byEmail(MINUTE_MS));
  answers = { [securityApiPaths.accountData]: Response.json({ account: {} }) };
  show();
  await begin('Download my data');
  await userEvent.click(await screen.findByRole('button', { name: 'Continue' }));
  await screen.findByText('Your data was downloaded.');
  expect(asked).toContainEqual({ path: securityApiPaths.accountData, body: { token: 'token-1' } });
  expect(downloadFile).toHaveBeenCalledTimes(1);
});

it.each<[string, Partial<HandoffClaims>, string]>([
  ['longer ago', byEmail(6 * MINUTE_MS), account.uid],
  ['with a passkey', { ...byEmail(0), method: 'passkey' }, account.uid],
  ['of another account', byEmail(0), 'uid-2'],
  ['that our server has not made', {}, account.uid],
])('a sign-in %s does not', async (_what, claims, uid) => {
  signIn(claims, uid);
  show();
  await begin('Download my data');
  await findAgain();
  await waitFor(() => expect(loadAuth).toHaveBeenCalled());
  expect(screen.queryByRole('button', { name: 'Continue' })).toBeNull();
});

it('once it is too long ago, another link is offered, and nothing was done', async () => {
  signIn(byEmail(4 * MINUTE_MS));
  const problem = new ApiProblem('recent-login-required');
  answers = { [securityApiPaths.accountData]: Response.json(problem, { status: problem.status }) };
  show();
  await begin('Download my data');
  const go = await screen.findByRole('button', { name: 'Continue' });
  signIn(byEmail(6 * MINUTE_MS));
  await userEvent.click(go);
  await screen.findByText(/^No password\? Sign in again with an emailed link/);
  expect(screen.getByRole('alert').textContent).toContain('Sign in again to make this change.');
  expect(asked.map(({ path }) => path)).not.toContain(securityApiPaths.accountData);
});
