import { act, cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { renderToString } from 'react-dom/server';
import { afterEach, expect, it, vi } from 'vitest';
import { PublicEnvProvider } from '@/lib/browser/config/context';
import { writeCookie } from '@/lib/browser/cookies';
import { getPublicEnv, parseEnv } from '@/lib/server/runtime/config/env';
import { apiPaths } from '@/lib/shared/api-paths';
import { ApiProblem } from '@/lib/shared/problem';
import common from '@/locales/en/common.json';
import mobile from '@/locales/en/mobile.json';
import { renderAtOrigin, withTexts } from '@/tests/support/render';
import { AccountSelectionScreen } from './account-selection-screen';

const env = getPublicEnv(parseEnv({ FIREBASE_AUTH_EMULATOR_HOST: '127.0.0.1:9' }));
const { mobileScheme, mainDomain } = env;
const APP = `${mobileScheme}://oauth-callback?state=1`;
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it.each([
  ['1', APP, APP],
  ['1', 'http://localhost:3001/a', null],
  ['', APP, null],
])('without a request, signed in: %j, callback %s: the app is opened at %s', (loggedIn, callback, link) => {
  writeCookie('loggedIn', loggedIn, mainDomain);
  writeCookie('callbackUrl', callback, mainDomain);
  renderAtOrigin(['password'], <AccountSelectionScreen selection={null} />);
  expect(screen.queryByRole('link', { name: 'Open the app' })?.getAttribute('href') ?? null).toBe(link);
  expect(screen.queryByText(/^This page has expired/) === null).toBe(link !== null);
  // A dead end leads to one place, so it does not mention another destination.
  expect(screen.queryByText(/You'll continue/)).toBeNull();
  expect(screen.queryByRole('link', { name: 'Go to sign-in' }) === null).toBe(link !== null);
});

it('the server, which does not know the callback, does not say that the page has expired', () => {
  const html = renderToString(
    withTexts(
      <PublicEnvProvider value={env}>
        <AccountSelectionScreen selection={null} />
      </PublicEnvProvider>,
    ),
  );
  expect(html).toContain('<h1>');
  expect(html).not.toContain('This page has expired');
});

it.each<[string, number]>([
  ['a request that has expired', 400],
  ['a sign-in that is too old', 403],
])('%s: an answer from before Back is not shown', async (_what, status) => {
  const answers: ((response: Response) => void)[] = [];
  vi.stubGlobal('fetch', () => new Promise((answer) => answers.push(answer)));
  const selection = { request: 'a', name: 'Mia', email: 'mia@campus.test', canDelete: false };
  renderAtOrigin(['password'], <AccountSelectionScreen selection={selection} />);
  await userEvent.click(screen.getByRole('button', { name: 'Continue as Mia' }));
  await waitFor(() => expect(answers).toHaveLength(1));
  act(() => void window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true })));
  const problem = new ApiProblem(status === 403 ? 'recent-login-required' : 'bad-request');
  await act(() => Promise.resolve(answers[0]?.(Response.json(problem, { status: problem.status }))));
  await act(() => new Promise((done) => setTimeout(done, 20)));
  // The message is hidden once the page is usable.
  expect(screen.queryAllByRole('alert').map(({ textContent }) => textContent)).toEqual([common.form.notReady]);
  expect(screen.getByRole('button', { name: 'Continue as Mia' }).getAttribute('aria-disabled')).toBeNull();
});

it('announces that it takes a new sign-in in a region that was there before', async () => {
  const problem = new ApiProblem('recent-login-required');
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json(problem, { status: problem.status })));
  const selection = { request: 'a', name: 'Mia', email: 'mia@campus.test', canDelete: false };
  renderAtOrigin(['password'], <AccountSelectionScreen selection={selection} />);
  const regions = screen.getAllByRole('status');
  await userEvent.click(screen.getByRole('button', { name: 'Continue as Mia' }));
  const text = await screen.findByText(mobile.signIn);
  expect(regions.some((region) => region.contains(text))).toBe(true);
});

it('"Use another account" wins over an answer that is still on its way: the app gets no code of the account that was turned down', async () => {
  const asked: string[] = [];
  const answers: ((response: Response) => void)[] = [];
  vi.stubGlobal('fetch', (path: string) => {
    asked.push(path);
    return new Promise((answer) => answers.push(answer));
  });
  const selection = { request: 'a', name: 'Mia', email: 'mia@campus.test', canDelete: false };
  renderAtOrigin(['password'], <AccountSelectionScreen selection={selection} />);
  const [goOn, another] = ['Continue as Mia', 'Use another account'].map((name) =>
    screen.getByRole('button', { name }),
  );
  await userEvent.click(goOn as HTMLElement);
  await waitFor(() => expect(asked).toEqual([apiPaths.mobileAuthorize]));
  await userEvent.click(another as HTMLElement);
  await act(() => Promise.resolve(answers[0]?.(Response.json({ address: APP }))));
  await act(() => new Promise((done) => setTimeout(done, 20)));
  expect(screen.queryByRole('link', { name: 'Open the app' })).toBeNull();
  // The sign-out is in progress. The other button does nothing until it has failed.
  await userEvent.click(goOn as HTMLElement);
  expect(asked.filter((path) => path === apiPaths.mobileAuthorize)).toHaveLength(1);
  await waitFor(() => expect(answers).toHaveLength(2));
  await act(() => Promise.resolve(answers[1]?.(new Response(null, { status: 503 }))));
  await screen.findByText(common.signOutFailed);
  await userEvent.click(goOn as HTMLElement);
  await waitFor(() => expect(asked.filter((path) => path === apiPaths.mobileAuthorize)).toHaveLength(2));
});
