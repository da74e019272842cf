import { act, cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { apiPaths } from '@/lib/shared/api-paths';
import { renderAtOrigin } from '@/tests/support/render';
import { RequestScreen } from './request-screen';

vi.mock('next/router', () => ({ default: {}, useRouter: () => ({ push: () => Promise.resolve(true) }) }));
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it('emails how to sign in to an address that a password manager filled in without an event', async () => {
  const sent: string[] = [];
  vi.stubGlobal('fetch', (_path: string, { body }: { body: string }) => {
    sent.push(body);
    return Promise.resolve(Response.json({ resendAfter: 30 }));
  });
  renderAtOrigin(['password'], <RequestScreen />);
  const field = screen.getByRole<HTMLInputElement>('textbox', { name: 'Email' });
  // The field has no focus, as on a phone. Leaving it would be an event.
  field.blur();
  field.value = 'lena@campus.test';
  await userEvent.setup().click(screen.getByRole('button', { name: 'Not sure how you signed up? Get an email' }));
  await waitFor(() => expect(sent).toEqual([JSON.stringify({ email: 'lena@campus.test' })]));
});

const HELP = /^Check your email/;
const FAILURE = /^We couldn't reach/;

it('has one message at a time, of the last request, and none about an address that was corrected', async () => {
  const help: (() => void)[] = [];
  vi.stubGlobal('fetch', (path: string) => {
    if (path !== apiPaths.signInHelp) return Promise.reject(new TypeError('offline'));
    return new Promise((answer) => help.push(() => answer(Response.json({ resendAfter: 30 }))));
  });
  renderAtOrigin(['password'], <RequestScreen />);
  const user = userEvent.setup();
  const field = screen.getByRole<HTMLInputElement>('textbox', { name: 'Email' });
  const sendHelp = async (count: number) => {
    await user.click(screen.getByRole('button', { name: 'Not sure how you signed up? Get an email' }));
    await waitFor(() => expect(help).toHaveLength(count));
  };
  const answer = () => act(() => Promise.resolve(help.at(-1)?.()));
  await user.type(field, 'lena@campus.tset');
  await sendHelp(1);
  await answer();
  await screen.findByText(HELP);
  await user.type(field, '{Backspace}{Backspace}{Backspace}est');
  expect(screen.queryByText(HELP)).toBeNull();
  await sendHelp(2);
  await user.type(field, '{Enter}');
  await screen.findByText(FAILURE);
  await answer();
  await act(() => new Promise((done) => setTimeout(done, 20)));
  expect(screen.queryByText(HELP)).toBeNull();
  await sendHelp(3);
  expect(screen.queryByText(FAILURE)).toBeNull();
  await answer();
  await screen.findByText(HELP);
});
