import { cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { ApiProblem } from '@/lib/shared/problem';
import { renderAtOrigin } from '@/tests/support/render';
import { SuccessScreen } from './success-screen';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

function open(answers: Response[], passkeyFlow?: string) {
  const fetched = vi.fn<typeof fetch>(() => Promise.resolve(answers.shift() ?? Response.error()));
  vi.stubGlobal('fetch', fetched);
  const left = vi.spyOn(window.location, 'assign').mockImplementation(() => undefined);
  const facts = { signedIn: false, destination: '/', email: 'mia@campus.test', ...(passkeyFlow && { passkeyFlow }) };
  renderAtOrigin(['password'], <SuccessScreen {...facts} />);
  return { fetched, left };
}

it('after a code whose response was lost, leads to the page of another one by one press', async () => {
  const problem = new ApiProblem('too-many-requests');
  const refusal = Response.json(problem, { status: 429, headers: { 'retry-after': '9' } });
  const { fetched, left } = open([refusal, Response.json({ resendAfter: 30, flow: 'one' })], 'one');
  expect(screen.queryByRole('link', { name: 'Sign in' })).toBeNull();
  const button = screen.getByRole('button', { name: 'Email me a new code' });
  await userEvent.click(button);
  await screen.findByText('You can try again in 9 seconds.');
  expect(left).not.toHaveBeenCalled();
  await userEvent.click(button);
  await waitFor(() => expect(left).toHaveBeenCalledWith('/registration/confirm?flow=one'));
  expect(fetched.mock.calls.map(([path]) => path)).toEqual(['/api/registration/resend', '/api/registration/resend']);
});

it('of an account that can sign in, leads to sign-in', () => {
  open([]);
  expect(screen.getByRole('link', { name: 'Sign in' })).toBeTruthy();
});
