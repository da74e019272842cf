import { act, cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { takeReturnByLink, keepReturnForLink } from '@/lib/browser/auth/link-return';
import { loadAuth } from '@/lib/browser/auth/provider/firebase';
import { signInWithCustomToken } from '@/lib/browser/auth/provider/sdk';
import { captureCallback, getDestination } from '@/lib/browser/callback';
import { downloadFile } from '@/lib/browser/download-file';
import { setPageAccount } from '@/lib/browser/session/state';
import { getPublicEnv, parseEnv } from '@/lib/server/runtime/config/env';
import type { HandoffClaims } from '@/lib/server/session/tokens';
import type { AccountSecurity } from '@/lib/shared/account/security';
import { apiPaths } from '@/lib/shared/api-paths';
import { ApiProblem, type ProblemCode } from '@/lib/shared/problem';
import { secondFactorPaths, securityApiPaths } from '@/lib/shared/security-paths';
import { passwordAccount, renderAtOrigin } from '@/tests/support/render';
import { DataSection } from './data-section';

vi.mock('next/router', () => ({ default: {}, useRouter: () => ({ replace: () => Promise.resolve(true) }) }));
// Replaces the identity provider, and the file that the browser saves.
vi.mock(import('@/lib/browser/auth/provider/firebase'), async (original) => ({
  ...(await original()),
  loadAuth: vi.fn<typeof loadAuth>(),
}));
vi.mock(import('@/lib/browser/auth/provider/sdk'), async (original) => ({
  ...(await original()),
  signInWithCustomToken: vi.fn<typeof signInWithCustomToken>(),
}));
vi.mock('@/lib/browser/download-file', () => ({ downloadFile: vi.fn() }));

const env = getPublicEnv(parseEnv({ FIREBASE_AUTH_EMULATOR_HOST: '127.0.0.1:9' }));
const MINUTE_MS = 60_000;
const account = passwordAccount;
const google = { id: 'google.com', email: null, usable: true };

/** Sets the identity provider's user in this tab, as our server has signed them in. */
function signIn(claims: Partial<HandoffClaims> | null, uid = account.uid, token = 'token-1'): void {
  const currentUser = claims && {
    uid,
    getIdToken: () => Promise.resolve(token),
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

/** Exchanges our server's custom token for a user. */
const exchange = (claims: HandoffClaims, token: string) =>
  vi.mocked(signInWithCustomToken).mockImplementation(() => {
    signIn(claims, account.uid, token);
    return Promise.resolve({ user: { uid: account.uid } } as Awaited<ReturnType<typeof signInWithCustomToken>>);
  });

const refuse = (code: ProblemCode) => {
  const problem = new ApiProblem(code);
  return Response.json(problem, { status: problem.status });
};
let answers: Partial<Record<string, Response>> = {};
const asked: { path: string; body: unknown }[] = [];
const leave = vi.fn<Location['assign']>();
beforeEach(() => {
  answers = { [apiPaths.autoSignIn]: refuse('recent-login-required') };
  asked.length = 0;
  // The page of this account has been loaded.
  setPageAccount(account.uid);
  signIn({});
  vi.stubGlobal('fetch', (path: string, { body }: { body?: string }) => {
    asked.push({ path, body: body === undefined ? null : JSON.parse(body) });
    return Promise.resolve(answers[path]?.clone() ?? Response.json({ uid: account.uid }));
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
  vi.mocked(signInWithCustomToken).mockReset();
  window.localStorage.clear();
  window.sessionStorage.clear();
});

const show = (given: Partial<AccountSecurity> = {}, effectiveAt: string | null = null) =>
  renderAtOrigin(['password'], <DataSection account={{ ...account, ...given }} deletion={{ effectiveAt }} />);
const begin = (name: string) => userEvent.click(screen.getByRole('button', { name }));
/** Lists the buttons except the field's button. */
const getButtons = () =>
  screen
    .getAllByRole('button')
    .map(({ textContent }) => textContent)
    // The button of a row is named by its heading.
    .filter((text) => !['', 'Show'].includes(text));
/** Waits for all that a press has begun. */
const settle = () => act(() => new Promise((done) => setTimeout(done, 20)));
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
  if (ways.link) await findAgain();
  else await screen.findByRole('group');
  expect(screen.queryByLabelText('Current password') !== null).toBe(ways.password);
  expect(screen.queryByRole('button', { name: 'Use an emailed link' }) !== null).toBe(ways.link);
});

it('asks for nothing until it is known whether the last sign-in is enough', async () => {
  const loaded = loadAuth(env);
  let load = () => {};
  vi.mocked(loadAuth).mockReturnValue(new Promise((done) => (load = () => done(loaded))));
  show();
  await begin('Download my data');
  await waitFor(() => expect(loadAuth).toHaveBeenCalledTimes(2));
  expect(screen.queryByRole('group')).toBeNull();
  expect(screen.getByRole('button', { name: 'Download my data' }).getAttribute('aria-disabled')).toBe('true');
  load();
  await findAgain();
  expect(screen.getByText(/^No password\?/).className).not.toMatch(/unknown/);
});

/** Begins a deletion and requests a link to continue it. */
async function askForLink(): Promise<void> {
  show();
  await begin('Delete my account');
  await userEvent.click(await findAgain());
  await waitFor(() => expect(leave).toHaveBeenCalledWith('/sign-in/with-email-link?return_to=security'));
  window.location.href = 'http://localhost:3000/sign-in/with-email-link?return_to=security';
  captureCallback(env);
  keepReturnForLink('Mia@campus.test');
  cleanup();
}

it('the link leads back to what was begun, in the tab that it opens', async () => {
  await askForLink();
  const waiting = Object.entries(window.sessionStorage);
  // Another tab.
  window.sessionStorage.clear();
  window.location.href = 'http://localhost:3000/actions';
  takeReturnByLink('mia@campus.test');
  expect(getDestination(env)).toBe('/security');
  signIn(byEmail(MINUTE_MS));
  show();
  expect((await screen.findByRole('group')).textContent).toMatch(/^Delete your account\?/);
  cleanup();
  // The tab that has waited follows to the page and leaves the change to it.
  window.sessionStorage.clear();
  for (const [key, item] of waiting) window.sessionStorage.setItem(key, item as string);
  show();
  await settle();
  expect(screen.queryByRole('group')).toBeNull();
  cleanup();
  // A change that begins there afterward is its own.
  signIn({});
  await askForLink();
  show();
  await screen.findByRole('group');
});

it.each<[string, () => void, string | null, boolean]>([
  ['of the link, if that is the same', () => takeReturnByLink('mia@campus.test'), null, true],
  ['that signs in another way', () => undefined, null, true],
  ['where the deletion is scheduled by now', () => undefined, '2026-12-01T00:00:00.000Z', false],
])('a deletion goes on in the tab %s', async (_which, open, effectiveAt, goesOn) => {
  await askForLink();
  open();
  show({}, effectiveAt);
  await settle();
  expect(screen.queryByRole('group') !== null).toBe(goesOn);
});

it('after a sign-in by email of the last minutes, nothing is asked', async () => {
  signIn(byEmail(MINUTE_MS));
  answers = { [securityApiPaths.accountData]: Response.json({ account: {} }) };
  show();
  await begin('Download my data');
  await screen.findByText('Your data was downloaded.');
  expect(asked).toContainEqual({ path: securityApiPaths.accountData, body: { token: 'token-1' } });
  expect(downloadFile).toHaveBeenCalledTimes(1);
});

it.each<[string, Partial<AccountSecurity>]>([
  ['with a password', {}],
  ['without one', { methods: [] }],
])('after it, the deletion of an account %s takes its two presses, and no proof', async (_which, given) => {
  signIn({ ...byEmail(MINUTE_MS), factor: 'totp' });
  answers = { [securityApiPaths.deleteAccount]: refuse('recent-login-required') };
  show({ ...given, hasSecondFactor: true });
  await begin('Delete my account');
  expect((await screen.findByRole('group')).textContent).toMatch(/^Delete your account\?/);
  expect(getButtons()).toEqual(['Delete my account', 'Cancel']);
  await begin('Delete my account');
  // The server has the last word.
  await screen.findByRole('alert');
  expect(asked).toContainEqual({ path: securityApiPaths.deleteAccount, body: { token: 'token-1' } });
});

it('so does one in another tab of a shared computer, which has its own user', async () => {
  signIn(null);
  answers = {
    [apiPaths.autoSignIn]: Response.json({ customToken: 'handed-over' }),
    [securityApiPaths.accountData]: Response.json({ account: {} }),
  };
  exchange(byEmail(MINUTE_MS), 'token-2');
  show();
  await begin('Download my data');
  await screen.findByText('Your data was downloaded.');
});

it('in a remembered browser, a code follows', async () => {
  signIn(byEmail(MINUTE_MS));
  exchange({ ...byEmail(MINUTE_MS), factor: 'totp' }, 'token-2');
  answers = {
    [secondFactorPaths.prove]: Response.json({ customToken: 'both' }),
    [securityApiPaths.accountData]: Response.json({ account: {} }),
  };
  show({ hasSecondFactor: true });
  await begin('Download my data');
  await userEvent.click(await screen.findByRole('button', { name: 'Continue' }));
  const code = await screen.findByLabelText('Authentication code');
  await waitFor(() => expect(document.activeElement).toBe(code));
  expect(screen.queryByRole('alert')).toBeNull();
  await userEvent.type(code, '123456{Enter}');
  await screen.findByText('Your data was downloaded.');
  expect(asked).toContainEqual({ path: secondFactorPaths.prove, body: { token: 'token-1', code: '123456' } });
  expect(asked).toContainEqual({ path: securityApiPaths.accountData, body: { token: 'token-2' } });
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

it('once it is too long ago, a link is offered, and nothing was done', async () => {
  signIn(byEmail(4 * MINUTE_MS));
  show({ methods: [] });
  await begin('Delete my account');
  signIn(byEmail(6 * MINUTE_MS));
  await begin('Delete my account');
  await findAgain();
  expect(asked.map(({ path }) => path)).not.toContain(securityApiPaths.deleteAccount);
});
