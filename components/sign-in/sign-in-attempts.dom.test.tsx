import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import type { SignInFailure } from '@/lib/browser/auth/sign-in/error-codes';
import { ApiProblem } from '@/lib/shared/problem';
import common from '@/locales/en/common.json';
import { renderAtOrigin } from '@/tests/support/render';
import { SignInScreen } from './sign-in-screen';

const { attempts } = vi.hoisted(() => {
  const begun: Partial<Record<string, ((failure: unknown) => void)[]>> = {};
  const begin = (method: string) => () => new Promise((fail) => (begun[method] ??= []).push(fail));
  return { attempts: { begun, begin } };
});
vi.mock('next/router', () => ({ default: {}, useRouter: () => ({ push: () => Promise.resolve(true) }) }));
// Replaces the calls to the identity provider.
vi.mock('@/lib/browser/auth/sign-in/load-sign-in', () => ({
  preloadProviderSignIn: () => undefined,
  loadPasswordSignIn: () => Promise.resolve({ signInWithPassword: attempts.begin('password') }),
  loadProviderSignIn: () => Promise.resolve({ signInWithProvider: attempts.begin('provider') }),
}));

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  window.sessionStorage.clear();
  for (const method of Object.keys(attempts.begun)) delete attempts.begun[method];
});

type Method = 'password' | 'provider' | 'passkey';
const problem = new ApiProblem('passkey-refused');
const failures: Record<Method, SignInFailure | null> = {
  password: { code: 'auth/invalid-login-credentials', retryAfter: null },
  provider: { code: 'auth/popup-closed-by-user', retryAfter: null },
  passkey: null,
};
/** Hidden once the page is usable. */
const { notReady } = common.form;
const getAlerts = () =>
  screen
    .queryAllByRole('alert')
    .map(({ textContent }) => textContent)
    .filter((text) => text !== '' && text !== notReady);

async function begin(method: Method, attempt = 1): Promise<void> {
  const user = userEvent.setup();
  if (method === 'password') {
    await user.clear(screen.getByLabelText('Password'));
    await user.type(screen.getByLabelText('Password'), 'correct-horse-7{Enter}');
  } else {
    const name = method === 'provider' ? 'Continue with Google' : /^(Sign in with a passkey|Use a phone)/;
    await user.click(screen.getByRole('button', { name }));
  }
  await waitFor(() => expect(attempts.begun[method]).toHaveLength(attempt));
}
const end = (method: Method) =>
  act(async () => {
    attempts.begun[method]?.at(-1)?.(failures[method]);
    await new Promise((done) => setTimeout(done, 20));
  });

async function open(other: 'google.com' | 'enterprise' = 'google.com'): Promise<void> {
  vi.stubGlobal('PublicKeyCredential', class {});
  // No autofill.
  vi.stubGlobal('requestIdleCallback', () => 0);
  // The request for a passkey's options, without autofill.
  const ask = attempts.begin('passkey');
  vi.stubGlobal('fetch', () => ask().then(() => Response.json(problem, { status: problem.status })));
  renderAtOrigin(['password', other], <SignInScreen />, { passkeys: true, socialSignIn: 'redirect' });
  await userEvent.type(screen.getByRole('textbox', { name: 'Email' }), 'mia@campus.test');
}

it.each<[Method, Method]>([
  ['provider', 'password'],
  ['password', 'provider'],
  ['passkey', 'password'],
  ['password', 'passkey'],
  ['provider', 'passkey'],
  ['passkey', 'provider'],
])('a sign-in by %s and then by %s: one message, of the last', async (before, last) => {
  await open();
  await begin(before);
  await end(before);
  expect(getAlerts()).toHaveLength(1);
  const [first] = getAlerts();
  await begin(last);
  expect(getAlerts()).toEqual([]);
  await end(last);
  expect(getAlerts()).toHaveLength(1);
  expect(getAlerts()).not.toEqual([first]);
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Email' }).value).toBe('mia@campus.test');
});

it("offers the organization of the refused email's domain, until the next attempt", async () => {
  await open('enterprise');
  await begin('password');
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ name: 'Acme', provider: 'saml.acme' })));
  await end('password');
  expect(await screen.findByText('Acme signs in with SSO.')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Continue with Acme' })).toBeTruthy();
  await begin('password', 2);
  expect(screen.queryByText('Acme signs in with SSO.')).toBeNull();
});

it('what the attempt before comes to is not shown', async () => {
  await open();
  await begin('provider');
  await begin('password');
  await end('provider');
  expect(getAlerts()).toEqual([]);
  await begin('provider', 2);
  await end('password');
  expect(getAlerts()).toEqual([]);
  await begin('passkey');
  await begin('provider', 3);
  await end('passkey');
  expect(getAlerts()).toEqual([]);
  await end('provider');
  expect(getAlerts()).toHaveLength(1);
});

it('the same method again keeps its own message only', async () => {
  await open();
  await begin('password');
  await end('password');
  await begin('password', 2);
  expect(getAlerts()).toEqual([]);
  await end('password');
  expect(getAlerts()).toHaveLength(1);
});

const unavailable = { code: 'auth/session-unavailable', retryAfter: 5 };
/** Fails the password's attempts. The last attempt finds no session. */
const failUnavailable = async (attempt: number) => {
  await waitFor(() => expect(attempts.begun.password).toHaveLength(attempt));
  await act(() => Promise.resolve(attempts.begun.password?.at(-1)?.(unavailable)));
};
const pass = (seconds: number) => act(() => vi.advanceTimersByTimeAsync(seconds * 1_000));

it('without a session the page signs in again with what was typed, later each time, and three times at most', async () => {
  await open();
  await begin('password');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  for (const [index, wait] of [5, 15, 45].entries()) {
    await failUnavailable(index + 1);
    await waitFor(() => expect(getAlerts()[0]).toContain(`This page tries again in ${String(wait)} seconds.`));
    expect(screen.getByRole('button', { name: 'Sign in' })).toBeDefined();
    await pass(wait - 2);
    expect(attempts.begun.password).toHaveLength(index + 1);
    await pass(2);
  }
  await failUnavailable(4);
  await waitFor(() => expect(getAlerts()).toHaveLength(1));
  expect(getAlerts()[0]).not.toContain('This page tries again');
  await pass(600);
  expect(attempts.begun.password).toHaveLength(4);
  vi.useRealTimers();
});

it('what the learner types ends that', async () => {
  await open();
  await begin('password');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  await failUnavailable(1);
  await waitFor(() => expect(getAlerts()[0]).toContain('This page tries again'));
  fireEvent.input(screen.getByLabelText('Password'), { target: { value: 'correct-horse' } });
  await waitFor(() => expect(getAlerts()[0]).not.toContain('This page tries again'));
  await pass(600);
  expect(attempts.begun.password).toHaveLength(1);
  vi.useRealTimers();
});

it.each(['before the answer', 'after it'])('a learner who turns to another tab %s ends that', async (when) => {
  const turnAway = () => {
    Object.defineProperty(document, 'hidden', { configurable: true, value: true });
    document.dispatchEvent(new Event('visibilitychange'));
  };
  await open();
  await begin('password');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  if (when === 'before the answer') turnAway();
  await failUnavailable(1);
  await waitFor(() => expect(getAlerts()).toHaveLength(1));
  if (when === 'after it') act(turnAway);
  await waitFor(() => expect(getAlerts()[0]).not.toContain('This page tries again'));
  await pass(600);
  expect(attempts.begun.password).toHaveLength(1);
  Object.defineProperty(document, 'hidden', { configurable: true, value: false });
  vi.useRealTimers();
});
