import { cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { carriedEmail } from '@/lib/browser/account/carried-email';
import { keepReturnForLink } from '@/lib/browser/auth/link-return';
import { ApiProblem } from '@/lib/shared/problem';
import { renderAtOrigin } from '@/tests/support/render';
import { PasswordVerifyPanel, ResetPanel } from './panels';

const push = vi.hoisted(() => vi.fn(() => Promise.resolve(true)));
vi.mock('next/router', () => ({ default: { push }, useRouter: () => ({ push }) }));
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  push.mockClear();
  sessionStorage.clear();
  localStorage.clear();
});

const email = 'mia@campus.test';
const typePassword = () =>
  userEvent.type(screen.getByLabelText('New password', { selector: 'input' }), 'quiet-lantern-42{Enter}');

it('after a reset by link, returns to the page that the tab of the request was to return to', async () => {
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({})));
  const assign = vi.spyOn(window.location, 'assign').mockImplementation(() => undefined);
  sessionStorage.setItem('return-to', 'security');
  keepReturnForLink(email);
  // This is the tab of the link.
  sessionStorage.clear();
  renderAtOrigin(['password'], <ResetPanel action={{ mode: 'resetPassword', code: 'link-1' }} email={email} />);
  await typePassword();
  await waitFor(() => expect(assign).toHaveBeenCalledWith('/forget-password/confirmation'));
  expect(sessionStorage.getItem('return-to')).toBe('security');
});

it.each([
  ['ResetPanel', <ResetPanel key="r" action={{ mode: 'resetPassword', code: 'link-1' }} email={email} />],
  [
    'PasswordVerifyPanel',
    <PasswordVerifyPanel key="v" code="link-1" email={email} onVerified={() => Promise.resolve()} />,
  ],
])('an attempt whose answer was lost may have set the password: it leads to sign-in, too: %s', async (_, panel) => {
  const used = new ApiProblem('action-code-invalid');
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json(used, { status: used.status })));
  renderAtOrigin(['password'], panel);
  await typePassword();
  await userEvent.click(await screen.findByRole('link', { name: 'Go to sign-in' }));
  expect(push).toHaveBeenCalledWith('/sign-in', undefined, expect.anything());
  expect(carriedEmail.get()).toBe(email);
});
