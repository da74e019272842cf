import { cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { apiPaths } from '@/lib/shared/api-paths';
import { ApiProblem } from '@/lib/shared/problem';
import { renderAtOrigin } from '@/tests/support/render';
import { DisavowSignIn } from './disavow-sign-in';

const push = vi.hoisted(() => vi.fn(() => Promise.resolve(true)));
vi.mock('next/router', () => ({ default: {}, useRouter: () => ({ push }) }));
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it('says why no code was sent for the new password, and sends one by the same button', async () => {
  const problem = new ApiProblem('too-many-requests');
  const answers = [
    Response.json(problem, { status: problem.status, headers: { 'retry-after': '9' } }),
    Response.json({ resendAfter: 30, flow: 'one' }),
  ];
  vi.stubGlobal('fetch', (path: string) =>
    Promise.resolve(path === apiPaths.passwordReset ? answers.shift() : Response.json({ email: 'mia@campus.test' })),
  );
  const signIn = { state: 'open', at: '2026-01-01T00:00:00.000Z', browser: null, system: null } as const;
  renderAtOrigin(['password'], <DisavowSignIn code="link-1" signIn={signIn} />);
  await userEvent.click(screen.getByRole('button', { name: "This wasn't me" }));
  const button = await screen.findByRole('button', { name: 'Choose a new password' });
  await userEvent.click(button);
  await screen.findByText('You can try again in 9 seconds.');
  expect(push).not.toHaveBeenCalled();
  await userEvent.click(button);
  await waitFor(() => expect(push).toHaveBeenCalledWith('/forget-password/instructions?flow=one'));
});
