// Threats: factor-skipped
import { cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { keepMethodToConfirm } from '@/lib/browser/account/carried-email';
import { ApiProblem } from '@/lib/shared/problem';
import { secondFactorPaths } from '@/lib/shared/security-paths';
import { PASSKEY_METHOD } from '@/lib/shared/sign-in-methods';
import { passwordAccount, renderAtOrigin } from '@/tests/support/render';
import { SetUpScreen } from './set-up-screen';

vi.mock('next/router', () => ({ default: {}, useRouter: () => ({ replace: () => Promise.resolve(true) }) }));

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  sessionStorage.clear();
});

const email = 'mia@campus.test';
const account = { ...passwordAccount, uid: '', email, methods: [] };
const ANSWERS: Partial<Record<string, object>> = {
  [secondFactorPaths.addApp]: { id: 'app-1', secret: 'ABCDEFGH', uri: 'otpauth://totp/a', qr: { size: 1, path: '' } },
  [secondFactorPaths.confirmApp]: { recoveryCodes: ['A1B2-A1B2-A1B2-A1B2'] },
};

it.each([
  ['who registered by a passkey', PASSKEY_METHOD, {}, '/sign-in/add-passkey'],
  ['who registered by a password', 'password', {}, 'http://localhost:3001/user/dashboard'],
  ['whose account will be deleted', 'password', { deletionAt: '2026-12-02T09:00:00.000Z' }, '/sign-in/keep-account'],
])('%s is led on when it is set up', async (_who, method, more, page) => {
  keepMethodToConfirm(email, method);
  const opened = { uid: 'uid-1', email, displayName: null, ...more };
  const answers: typeof ANSWERS = { ...ANSWERS, [secondFactorPaths.confirmCodes]: opened };
  vi.stubGlobal('fetch', (path: string) => Promise.resolve(Response.json(answers[path] ?? {})));
  const left: (string | URL)[] = [];
  for (const way of ['assign', 'replace'] as const)
    vi.spyOn(window.location, way).mockImplementation((to) => void left.push(to));
  renderAtOrigin(
    ['password'],
    <SetUpScreen reason={{ name: 'required', organization: null }} account={account} passkey={null} />,
  );
  await userEvent.click(screen.getByRole('button', { name: 'Set up an authenticator app' }));
  await userEvent.type(await screen.findByLabelText('Authentication code'), '123456');
  await userEvent.type(await screen.findByLabelText('Recovery code'), 'A1B2'.repeat(4));
  await userEvent.click(screen.getByRole('button', { name: 'Turn on' }));
  await waitFor(() => expect(left).toEqual([page]));
});

it('says that there were too many attempts, not of which code, until there can be another', async () => {
  const problem = new ApiProblem('too-many-requests', { retryAfter: 1 });
  const headers = { 'retry-after': '1' };
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json(problem, { status: problem.status, headers })));
  renderAtOrigin(
    ['password'],
    <SetUpScreen reason={{ name: 'required', organization: null }} account={account} passkey={null} />,
  );
  await userEvent.click(screen.getByRole('button', { name: 'Set up an authenticator app' }));
  const text = await screen.findByText('Too many attempts. Wait a moment, then try again.');
  await waitFor(() => expect(text.isConnected).toBe(false));
});
