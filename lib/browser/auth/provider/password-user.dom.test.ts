// Threats: left-provider-user, stuffing
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { getPublicEnv, parseEnv } from '@/lib/server/runtime/config/env';
import { requestSession } from '../sign-in/complete-sign-in';
import { onSignIn, type SignInEvent } from '../sign-in/events';
import { isProviderRemembered, mayHaveProviderUser, rememberProvider } from '../pending';
import { toProviderUser } from '../sign-in/proved-user';
import { verifyPassword } from './password-user';
import { signOutOfFirebase } from './provider-session';

/** Replaces the SDK, which must not be loaded for an accepted or refused password. */
const { sdk, setPersistence } = vi.hoisted(() => ({ sdk: vi.fn(), setPersistence: vi.fn() }));
vi.mock('./sdk', () => ({ signInWithEmailAndPassword: sdk, setPersistence, browserSessionPersistence: 'of the tab' }));
vi.mock('./firebase', () => ({ loadAuth: () => Promise.resolve({}) }));
vi.mock(import('./provider-session'), async (original) => ({
  ...(await original()),
  signOutOfFirebase: vi.fn(() => Promise.resolve(null)),
}));
vi.mock(import('@/lib/browser/session/api'), async (original) => ({
  ...(await original()),
  createUserSession: vi.fn(() => Promise.resolve({ ok: true as const, status: 200, data: {} })),
}));

const env = getPublicEnv(parseEnv({ FIREBASE_AUTH_EMULATOR_HOST: '127.0.0.1:9' }));
const analyzed = { ...env, mixpanel: { token: 'project-token', apiHost: null, testMailbox: 'test@campus.test' } };
const lena = { localId: 'uid-lena', idToken: 'token', email: 'lena@campus.test', displayName: 'Lena' };
const sdkUser = { uid: 'uid-lena', providerData: [] };
const events: SignInEvent[] = [];
onSignIn((event) => events.push(event));

let asked: { url: string; body: unknown }[] = [];
function answer(bodies: Record<string, object>, status = 200): void {
  vi.stubGlobal('fetch', (url: string, { body }: { body: string }) => {
    asked.push({ url, body: JSON.parse(body) });
    const method = /accounts:\w+/.exec(url)?.[0] ?? '';
    return Promise.resolve(Response.json(bodies[method], { status }));
  });
}
const refuse = (message: string) => answer({ 'accounts:signInWithPassword': { error: { code: 400, message } } }, 400);

beforeEach(() => {
  asked = [];
  events.length = 0;
  localStorage.clear();
  for (const name of ['marketing-consent', 'shared-computer']) document.cookie = `${name}=; path=/; max-age=0`;
  vi.clearAllMocks();
  sdk.mockResolvedValue({ user: sdkUser });
});
afterEach(() => vi.unstubAllGlobals());

it('verifies a password with one request, without the SDK', async () => {
  answer({ 'accounts:signInWithPassword': lena });
  const user = await verifyPassword(env, 'LENA@campus.test', 'correct-horse-7');
  expect(user).toMatchObject({ uid: 'uid-lena', email: 'lena@campus.test', displayName: 'Lena', account: null });
  expect(await user.getIdToken()).toBe('token');
  expect(asked.map(({ body }) => body)).toEqual([
    { email: 'LENA@campus.test', password: 'correct-horse-7', returnSecureToken: true },
  ]);
  expect(asked[0]?.url).toMatch(/\/identitytoolkit\.googleapis\.com\/v1\/accounts:signInWithPassword\?key=/);
  expect(sdk).not.toHaveBeenCalled();
});

it.each([
  ['INVALID_LOGIN_CREDENTIALS', 'auth/invalid-credential'],
  ['INVALID_PASSWORD', 'auth/wrong-password'],
  ['EMAIL_NOT_FOUND', 'auth/user-not-found'],
  ['USER_DISABLED', 'auth/user-disabled'],
  ['TOO_MANY_ATTEMPTS_TRY_LATER : Access to this account has been disabled.', 'auth/too-many-requests'],
  ['TOO_MANY_ATTEMPTS_TRY_LATER: Try again later.', 'auth/too-many-requests'],
  ['PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing [10 characters]', 'auth/password-does-not-meet-requirements'],
])('a refusal counts as one attempt: %s', async (message, code) => {
  refuse(message);
  await expect(verifyPassword(env, 'lena@campus.test', 'wrong')).rejects.toMatchObject({ code });
  expect(asked).toHaveLength(1);
  expect(sdk).not.toHaveBeenCalled();
});

it.each([
  ['a proof of a person', { error: { message: 'MISSING_RECAPTCHA_TOKEN' } }, 400],
  ['a second factor of its own', { localId: 'uid-lena', mfaPendingCredential: 'pending', mfaInfo: [] }, 200],
  ['something without a code', { error: 'unavailable' }, 503],
  ['something with a code that is no text', { error: { message: 5 } }, 500],
])('leaves what the provider asks for besides a password to the SDK: %s', async (_what, body, status) => {
  answer({ 'accounts:signInWithPassword': body }, status);
  expect(await verifyPassword(env, 'lena@campus.test', 'correct-horse-7')).toBe(sdkUser);
  expect(asked).toHaveLength(1);
});

it('lets the SDK sign in if its user cannot come back: only that user renews a session of another deployment', async () => {
  answer({});
  expect(await verifyPassword({ ...env, customTokens: false }, lena.email, 'correct-horse-7')).toBe(sdkUser);
  expect(asked).toEqual([]);
});

it('keeps the user of the SDK in the tab of a shared computer, from the beginning', async () => {
  answer({ 'accounts:signInWithPassword': lena });
  document.cookie = 'shared-computer=1; path=/';
  sdk.mockImplementation(() => {
    expect(setPersistence).toHaveBeenCalledWith({}, 'of the tab');
    return Promise.resolve({ user: sdkUser });
  });
  const user = await verifyPassword(env, lena.email, 'correct-horse-7');
  expect(setPersistence).not.toHaveBeenCalled();
  expect(await toProviderUser(user)).toBe(sdkUser);
  expect(sdk).toHaveBeenCalledOnce();
});

it('signs out a user whose sign-in at the SDK was left before its session', async () => {
  answer({ 'accounts:signInWithPassword': lena });
  // A learner who must choose a new password first, and closes the tab.
  await toProviderUser(await verifyPassword(env, 'leo@campus.test', 'correct-horse-6'));
  expect(isProviderRemembered()).toBe(false);
  expect(mayHaveProviderUser()).toBe(true);
  await requestSession(env, await verifyPassword(env, lena.email, 'correct-horse-7'), 'password');
  expect(signOutOfFirebase).toHaveBeenCalledOnce();
  await vi.waitFor(() => expect(events).toHaveLength(1));
});

it('sends the password only to the provider, and keeps it nowhere', async () => {
  answer({ 'accounts:signInWithPassword': lena });
  const user = await verifyPassword(env, lena.email, 'correct-horse-7');
  await requestSession(env, user, 'password');
  await vi.waitFor(() => expect(events).toHaveLength(1));
  const kept = JSON.stringify([
    user,
    events,
    { ...localStorage },
    { ...sessionStorage },
    document.cookie,
    history.state,
  ]);
  expect(kept).not.toContain('correct-horse-7');
  // Functions are not in JSON.
  expect(Object.keys(events[0]?.user ?? {}).sort()).toEqual(['account', 'displayName', 'email', 'uid']);
  expect(asked.map(({ url }) => new URL(url).host)).toEqual(['127.0.0.1:9']);
});

it.each([
  ['no answer', () => Promise.reject(new TypeError('Failed to fetch'))],
  ['the page of a captive portal', () => Promise.resolve(new Response('<html>Accept the terms</html>'))],
])('says that the provider cannot be reached: %s', async (_what, respond) => {
  vi.stubGlobal('fetch', respond);
  await expect(verifyPassword(env, 'lena@campus.test', 'x')).rejects.toMatchObject({
    code: 'auth/network-request-failed',
  });
});

it('describes the account to analytics only with consent', async () => {
  answer({
    'accounts:signInWithPassword': lena,
    'accounts:lookup': {
      users: [
        {
          providerUserInfo: [{ providerId: 'google.com' }, { providerId: 'password' }],
          photoUrl: 'https://pictures.example/lena.png',
          createdAt: '1767225600000',
          lastLoginAt: '1767312000000',
        },
      ],
    },
  });
  await requestSession(analyzed, await verifyPassword(analyzed, lena.email, 'correct-horse-7'), 'password');
  await vi.waitFor(() => expect(events).toHaveLength(1));
  expect(events[0]?.user).toEqual({ uid: lena.localId, email: lena.email, displayName: 'Lena', account: null });
  document.cookie = 'marketing-consent=true; path=/';
  await requestSession(analyzed, await verifyPassword(analyzed, lena.email, 'correct-horse-7'), 'password');
  await vi.waitFor(() => expect(events).toHaveLength(2));
  expect(events[1]?.user).toMatchObject({
    account: {
      photoURL: 'https://pictures.example/lena.png',
      providerIds: ['google.com', 'password'],
      createdAt: 'Thu, 01 Jan 2026 00:00:00 GMT',
      lastSignInAt: 'Fri, 02 Jan 2026 00:00:00 GMT',
    },
  });
  expect(asked.filter(({ url }) => url.includes('accounts:lookup'))).toHaveLength(1);
});

it('signs out a former user of the SDK, because the session must never be renewed with that token', async () => {
  answer({ 'accounts:signInWithPassword': lena });
  const user = await verifyPassword(env, lena.email, 'correct-horse-7');
  await requestSession(env, user, 'password');
  expect(signOutOfFirebase).not.toHaveBeenCalled();
  expect(isProviderRemembered()).toBe(false);
  rememberProvider();
  await requestSession(env, user, 'password');
  expect(signOutOfFirebase).toHaveBeenCalledOnce();
});
