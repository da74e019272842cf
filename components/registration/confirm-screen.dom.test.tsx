import { cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { takeReturnByLink } from '@/lib/browser/auth/link-return';
import { getMethodToConfirm } from '@/lib/browser/account/carried-email';
import { ApiProblem } from '@/lib/shared/problem';
import { PASSKEY_METHOD } from '@/lib/shared/sign-in-methods';
import { renderAtOrigin } from '@/tests/support/render';
import { ConfirmScreen } from './confirm-screen';

vi.mock('next/router', () => ({ default: {} }));
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  sessionStorage.clear();
  localStorage.clear();
});

const email = 'mia@campus.test';

it('any tab of the browser knows how it was registered, also after a second factor that comes first', async () => {
  const problem = new ApiProblem('second-factor-setup-required');
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json(problem, { status: problem.status })));
  const left = vi.spyOn(window.location, 'assign').mockImplementation(() => undefined);
  renderAtOrigin(
    ['password'],
    <ConfirmScreen
      pending={{ flow: 'one', email, method: PASSKEY_METHOD, resendAfter: 30, worksFor: 900, finishesSignIn: false }}
    />,
  );
  await userEvent.type(screen.getByRole('textbox', { name: 'Code' }), 'ABC234');
  await waitFor(() => expect(left).toHaveBeenCalledWith('/sign-in/set-up-second-factor'));
  expect(getMethodToConfirm(email)).toBe(PASSKEY_METHOD);
  expect(sessionStorage.getItem('pending-sign-in')).toBe(PASSKEY_METHOD);
});

it('the link of its email returns to the page that this tab was to return to', async () => {
  sessionStorage.setItem('return-to', 'security');
  renderAtOrigin(
    ['password'],
    <ConfirmScreen
      pending={{ flow: 'one', email, method: 'password', resendAfter: 30, worksFor: 900, finishesSignIn: false }}
    />,
  );
  await waitFor(() => expect(localStorage.getItem('return-by-link')).not.toBeNull());
  // The tab of the link.
  sessionStorage.clear();
  takeReturnByLink(email);
  expect(sessionStorage.getItem('return-to')).toBe('security');
});

it('a registration that has expired begins again', () => {
  renderAtOrigin(['password'], <ConfirmScreen pending={null} />);
  expect(screen.getByText(/Create your account again .*, or sign in if you already have one\.$/)).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Create an account' }).getAttribute('href')).toBe('/registration');
});
