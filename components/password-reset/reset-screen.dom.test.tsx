import { cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { apiPaths } from '@/lib/shared/api-paths';
import { ApiProblem } from '@/lib/shared/problem';
import { renderAtOrigin } from '@/tests/support/render';
import { ResetScreen } from './reset-screen';

vi.mock('next/router', () => ({ default: {}, useRouter: () => ({ push: () => Promise.resolve(true) }) }));
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it('says nothing more of the code that was sent once it is refused', async () => {
  const locked = new ApiProblem('code-locked');
  vi.stubGlobal('fetch', (path: string) =>
    Promise.resolve(
      path === apiPaths.resendReset
        ? Response.json({ resendAfter: 30 })
        : Response.json(locked, { status: locked.status }),
    ),
  );
  renderAtOrigin(
    ['password'],
    <ResetScreen pending={{ flow: 'flow-1', email: 'mia@campus.test', resendAfter: 0, worksFor: 900 }} />,
  );
  const user = userEvent.setup();
  await user.click(screen.getByRole('button', { name: 'Resend code' }));
  const sent = await screen.findByText(/sent a new code/);
  await user.type(screen.getByLabelText('Code'), 'A1B2C3');
  await user.type(screen.getByLabelText('New password'), 'correct-horse-7{Enter}');
  await screen.findByText(/^Too many incorrect attempts/);
  await waitFor(() => expect(sent.isConnected).toBe(false));
});
