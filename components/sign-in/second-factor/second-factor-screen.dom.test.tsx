import { cleanup, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { renderToString } from 'react-dom/server';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AppConfigProvider, PublicEnvProvider } from '@/lib/browser/config/context';
import { goOn } from '@/lib/browser/callback';
import { getPublicEnv, parseEnv } from '@/lib/server/runtime/config/env';
import { ApiProblem, type ProblemCode } from '@/lib/shared/problem';
import { renderWithTexts, withTexts } from '@/tests/support/render';
import { SecondFactorScreen } from './second-factor-screen';

vi.mock(import('@/lib/browser/callback'), async (original) => ({ ...(await original()), goOn: vi.fn() }));

const env = { ...getPublicEnv(parseEnv({ FIREBASE_AUTH_EMULATOR_HOST: '127.0.0.1:9' })), passkeys: true };
const sent: unknown[] = [];
let config: { rememberBrowsers?: boolean };
let answers: (() => Promise<Response>)[];
let accountHasPasskeys: boolean;
let isShared: boolean;
let stepUp: boolean;
let resetCode: { resendAfter: number } | null;

const signedIn = (codesLeft: number | null) => () => Promise.resolve(Response.json({ codesLeft }));
const refused =
  (code: ProblemCode, options: { triesLeft?: number; retryAfter?: number } = {}) =>
  () => {
    const problem = new ApiProblem(code, options);
    const headers: HeadersInit = options.retryAfter === undefined ? {} : { 'retry-after': String(options.retryAfter) };
    return Promise.resolve(Response.json(problem, { status: problem.status, headers }));
  };
const offline = () => Promise.reject(new TypeError('offline'));

beforeEach(() => {
  sent.length = 0;
  answers = [];
  config = {};
  accountHasPasskeys = true;
  isShared = false;
  stepUp = false;
  resetCode = null;
  vi.stubGlobal('PublicKeyCredential', class {});
  vi.stubGlobal('fetch', (_path: string, { body }: { body: string }) => {
    sent.push(JSON.parse(body));
    return (answers.shift() ?? offline)();
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  vi.mocked(goOn).mockClear();
});

const getPage = () => (
  <PublicEnvProvider value={env}>
    <AppConfigProvider value={config}>
      <SecondFactorScreen stepUp={stepUp} isShared={isShared} hasPasskeys={accountHasPasskeys} resetCode={resetCode} />
    </AppConfigProvider>
  </PublicEnvProvider>
);
/** Effects run after their content is shown. */
const expectFocus = (get: () => Element) => waitFor(() => expect(document.activeElement).toBe(get()));
function open(...given: typeof answers) {
  answers = given;
  renderWithTexts(getPage());
  return userEvent.setup();
}
const field = (name: string) => screen.getByRole<HTMLInputElement>('textbox', { name });
const button = (name: string) => screen.getByRole('button', { name });
const heading = () => screen.getByRole('heading', { level: 1 });
const notices = () => screen.getAllByRole('alert').map(({ textContent }) => textContent);
const expectNotice = (text: string) => waitFor(() => expect(notices().join()).toContain(text));

it('submits a pasted code once, and leads on', async () => {
  const user = open(signedIn(null));
  expect(screen.getByText(/the 6 digits that it shows for Campus\.$/)).toBeTruthy();
  await user.click(field('Authentication code'));
  await user.paste('123 456');
  await user.click(button('Continue'));
  await waitFor(() => expect(goOn).toHaveBeenCalledTimes(1));
  expect(sent).toEqual([{ code: '123456' }]);
});

it.each([
  ['of the app', 'Authentication code', '123 456', { code: '123456' }],
  ['for recovery', 'Recovery code', '2345 6789 2345 6789', { recoveryCode: '2345678923456789' }],
])('submits a code %s that a password manager filled in without an event', async (_, name, filled, expected) => {
  const user = open(signedIn(null));
  if (name === 'Recovery code') await user.click(button('Use a recovery code'));
  field(name).focus();
  field(name).value = filled;
  await user.keyboard('{Enter}');
  await waitFor(() => expect(sent).toEqual([expected]));
});

it('says how many tries are left, and what may be wrong', async () => {
  const user = open(refused('code-wrong', { triesLeft: 3 }), refused('code-wrong', { triesLeft: 1 }));
  await user.type(field('Authentication code'), '123456');
  await expectNotice('This code is incorrect. You have 3 attempts left.');
  await expectNotice('Check that your phone sets its date and time automatically.');
  await user.clear(field('Authentication code'));
  await user.type(field('Authentication code'), '654321');
  await expectNotice('You have 1 attempt left.');
  expect(field('Authentication code').value).toBe('654321');
});

it.each([
  ['a used code', refused('code-used'), 'This code was already used. Wait until your app shows the next one.'],
  ['no records', refused('records-unavailable'), 'What you typed is still here. Try again in a moment.'],
  ['no network', offline, 'Check your connection and try again.'],
  ['an unknown problem', refused('internal-error'), 'Something went wrong on our side.'],
])('%s: says so, and keeps the code', async (_what, answer, text) => {
  const user = open(answer);
  await user.type(field('Authentication code'), '123456');
  await expectNotice(text);
  expect(field('Authentication code').value).toBe('123456');
});

it('says how long codes are refused, and that passkeys are not', async () => {
  const user = open(refused('too-many-requests', { retryAfter: 840 }));
  await user.type(field('Authentication code'), '123456');
  await expectNotice('You can try again in 14 minutes.');
  await expectNotice('You can still use a passkey or a recovery code.');
  expect(button('Use a passkey')).toBeTruthy();
});

it('has one message at a time, about the code or the passkey', async () => {
  const [ofCode, ofPasskey] = ['What you typed is still here.', "We couldn't reach our server."];
  const user = open(refused('records-unavailable'));
  await user.click(button('Use a passkey'));
  await expectNotice(ofPasskey);
  await user.type(field('Authentication code'), '123456');
  await expectNotice(ofCode);
  expect(notices().join()).not.toContain(ofPasskey);
  await user.click(button('Use a passkey'));
  await expectNotice(ofPasskey);
  expect(notices().join()).not.toContain(ofCode);
});

it.each([
  ['code-locked', 'You entered too many incorrect codes.'],
  ['sign-in-expired', 'This sign-in has expired.'],
  ['user-disabled', "We couldn't complete this sign-in."],
] as const)('%s: leads to a new sign-in', async (code, text) => {
  const user = open(refused(code));
  await user.type(field('Authentication code'), '123456');
  await expectNotice(text);
  await expectFocus(() => heading());
  expect(screen.getByRole('link', { name: 'Sign in again' }).getAttribute('href')).toBe('/sign-in');
  expect(screen.queryByRole('textbox')).toBeNull();
});

it.each([
  ['without the app', []],
  ['after too many codes', [refused('code-locked')]],
])('a step-up leads to a new sign-in by a sign-out: %s', async (_when, before) => {
  stepUp = true;
  const left = vi.spyOn(window.location, 'assign').mockImplementation(() => undefined);
  const user = open(...before);
  if (before.length > 0) {
    await user.type(field('Authentication code'), '123456');
    await screen.findByRole('heading', { level: 1, name: 'Sign in again' });
  }
  expect(screen.queryByRole('link', { name: /sign.in/i })).toBeNull();
  const signOut = vi.fn((_path: string) => Promise.resolve(Response.json({})));
  vi.stubGlobal('fetch', signOut);
  await user.click(await screen.findByRole('button', { name: 'Sign in again' }));
  await waitFor(() => expect(left).toHaveBeenCalledWith('/sign-in'));
  expect(signOut.mock.calls.map(([path]) => path)).toEqual(['/api/initiate-logout']);
});

it('takes a recovery code in any form, and says what is left before it leads on', async () => {
  const user = open(signedIn(1));
  await user.click(button('Use a recovery code'));
  await expectFocus(() => field('Recovery code'));
  expect(field('Recovery code').autocomplete).toBe('off');
  await user.type(field('Recovery code'), '7k2m 4p8q-9r3t 5v6w{Enter}');
  await screen.findByText('You used a recovery code. You have 1 left.');
  expect(sent).toEqual([{ recoveryCode: '7K2M4P8Q9R3T5V6W' }]);
  await expectFocus(() => heading());
  expect(goOn).not.toHaveBeenCalled();
  const renewal = screen.getByRole('link', { name: 'Get new recovery codes' });
  expect(renewal.getAttribute('href')).toBe('/security?part=two-step-verification');
  await user.click(button('Continue'));
  expect(goOn).toHaveBeenCalledTimes(1);
});

it('warns after the last recovery code', async () => {
  const user = open(signedIn(0));
  await user.click(button('Use a recovery code'));
  await user.type(field('Recovery code'), '7K2M-4P8Q-9R3T-5V6W{Enter}');
  await screen.findByText(/^You used your last recovery code\./);
});

it('offers a passkey only to an account that has one', () => {
  accountHasPasskeys = false;
  open();
  expect(screen.queryByRole('button', { name: 'Use a passkey' })).toBeNull();
  cleanup();
  accountHasPasskeys = true;
  open();
  expect(button('Use a passkey')).toBeTruthy();
});

it('does not send an incomplete code, and goes back to the app', async () => {
  const user = open();
  await user.type(field('Authentication code'), '12345{Enter}');
  await screen.findByText('Enter all 6 digits of the code.');
  await user.click(button('Use a recovery code'));
  await user.type(field('Recovery code'), 'ABCD{Enter}');
  await screen.findByText('Enter all 16 letters and numbers of the recovery code.');
  await user.click(button('Use your authenticator app'));
  await expectFocus(() => field('Authentication code'));
  expect(sent).toEqual([]);
});

it('offers to remember the browser where the origin allows it, for either kind of code', async () => {
  config = { rememberBrowsers: true };
  const user = open(signedIn(9));
  const choice = () => screen.getByRole<HTMLInputElement>('checkbox', { name: /for 30 days$/ });
  expect(choice().checked).toBe(false);
  await user.click(choice());
  await user.click(button('Use a recovery code'));
  expect(choice().checked).toBe(true);
  await user.type(field('Recovery code'), '7K2M4P8Q9R3T5V6W{Enter}');
  await waitFor(() => expect(sent).toEqual([{ recoveryCode: '7K2M4P8Q9R3T5V6W', remember: true }]));
});

it('keeps the choice of before hydration, which the server has rendered above the code', async () => {
  config = { rememberBrowsers: true };
  answers = [signedIn(null)];
  const container = document.body.appendChild(document.createElement('div'));
  container.innerHTML = renderToString(withTexts(getPage()));
  const choice = screen.getByRole<HTMLInputElement>('checkbox', { name: /for 30 days$/ });
  choice.checked = true;
  render(withTexts(getPage()), { container, hydrate: true });
  await userEvent.type(field('Authentication code'), '123456');
  await waitFor(() => expect(sent).toEqual([{ code: '123456', remember: true }]));
  expect(choice.checked).toBe(true);
});

it.each([
  ['where the origin does not', {}, false],
  ['on a shared computer', { rememberBrowsers: true }, true],
])('does not offer to remember the browser %s', async (_where, given, shared) => {
  config = given;
  isShared = shared;
  const user = open(signedIn(null));
  expect(screen.queryByRole('checkbox')).toBeNull();
  await user.type(field('Authentication code'), '123456');
  await waitFor(() => expect(sent).toEqual([{ code: '123456' }]));
});

it('asks for the code of a reset again after a reload, and leads back to the app', async () => {
  resetCode = { resendAfter: 20 };
  const user = open();
  await screen.findByRole('heading', { level: 1, name: 'Check your email' });
  expect(screen.getByRole('button', { name: 'Resend code' }).getAttribute('aria-disabled')).toBe('true');
  await user.click(button('Use your authenticator app'));
  await expectFocus(() => field('Authentication code'));
  await user.click(button('Lost your app and your recovery codes?'));
  await screen.findByRole('heading', { level: 1, name: 'Turn off two-step verification' });
});
