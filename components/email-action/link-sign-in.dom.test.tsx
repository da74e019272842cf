import { cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { ApiProblem } from '@/lib/shared/problem';
import { renderAtOrigin } from '@/tests/support/render';
import { LinkSignIn } from './link-sign-in';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it('leads on from a link that was used by an attempt whose answer was lost', async () => {
  const used = new ApiProblem('action-code-invalid');
  const answers = [
    () => Promise.reject(new TypeError('offline')),
    () => Promise.resolve(Response.json(used, { status: used.status })),
  ];
  vi.stubGlobal('fetch', () => answers.shift()?.());
  const action = { mode: 'signIn', code: 'link-1', providerCode: 'code-1' } as const;
  renderAtOrigin(['password'], <LinkSignIn action={action} email="mia@campus.test" />);
  const user = userEvent.setup();
  // This browser asked for the link, so the first attempt begins by itself.
  await screen.findByText(/^We couldn't reach/);
  await user.click(screen.getByRole('button', { name: 'Sign in' }));
  const heading = await screen.findByRole('heading', { name: 'This link no longer works' });
  await waitFor(() => expect(document.activeElement).toBe(heading));
  expect(screen.getAllByRole('link', { name: /^(?:Request a new link|Go to sign-in)$/ })).toHaveLength(2);
});
