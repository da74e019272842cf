import { act, cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import type { SignInFailure } from '@/lib/browser/auth/sign-in/complete-sign-in';
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
// What asks the identity provider.
vi.mock('@/lib/browser/auth/sign-in/load-sign-in', () => ({
  preload: () => undefined,
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

async function open(): Promise<void> {
  vi.stubGlobal('PublicKeyCredential', class {});
  // No autofill.
  vi.stubGlobal('requestIdleCallback', () => 0);
  // The options of a passkey, of which it has none to fill in.
  const ask = attempts.begin('passkey');
  vi.stubGlobal('fetch', () => ask().then(() => Response.json(problem, { status: problem.status })));
  renderAtOrigin(['password', 'google.com'], <SignInScreen />, { passkeys: true, socialSignIn: 'redirect' });
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
