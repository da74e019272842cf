import { act, cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReactElement } from 'react';
import { afterEach, expect, it, vi } from 'vitest';
import { Notice } from '@/components/ui/notice';
import type { AccountSecurity } from '@/lib/shared/account/security';
import { apiPaths } from '@/lib/shared/api-paths';
import { renderAtOrigin, renderWithTexts } from '@/tests/support/render';
import { ChangePanel, CreationFailure } from './change-panel';
import { DataSection } from './data-section';
import { SignOutChoices } from './sign-out-section';

vi.mock('next/router', () => ({ default: {}, useRouter: () => ({ replace: () => Promise.resolve(true) }) }));
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it('says why a change failed next to its button, below what the change brings', () => {
  renderWithTexts(
    <ChangePanel
      stage="ask"
      text="Delete it?"
      facts={['It is gone.', 'You are signed out.']}
      failure={<Notice tone="error">Try again.</Notice>}
      onCancel={() => undefined}
    >
      <button type="button">Delete</button>
    </ChangePanel>,
  );
  const parts = [...screen.getByRole('group').children].map(({ textContent }) => textContent);
  expect(parts.slice(0, 4)).toEqual(['Delete it?', 'It is gone.You are signed out.', 'Try again.', 'Delete']);
});

const restore = () => act(() => void window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true })));

it.each<[string, (account: AccountSecurity) => ReactElement, string[]]>([
  ['Your data', (account) => <DataSection account={account} deletion={{ effectiveAt: null }} />, ['Download my data']],
  ['Sign out', () => <SignOutChoices />, ['Sign out everywhere', 'Sign out everywhere']],
])('%s shows no failure of what was begun before Back', async (_part, getPart, buttons) => {
  const answers: ((response: Response) => void)[] = [];
  vi.stubGlobal('fetch', (path: string) =>
    // The panel's first call asks whether there is a session.
    path === apiPaths.autoSignIn
      ? Promise.resolve(new Response(null, { status: 401 }))
      : new Promise((answer) => answers.push(answer)),
  );
  const account = { uid: 'uid-1', email: null, methods: [{ id: 'password', email: null, usable: true }], passkeys: 0 };
  renderAtOrigin(['password'], getPart(account as unknown as AccountSecurity));
  for (const name of buttons) await userEvent.click(screen.getByRole('button', { name }));
  if (buttons.length === 1)
    await userEvent.type(await screen.findByLabelText('Current password'), 'correct-horse-7{Enter}');
  await waitFor(() => expect(answers).toHaveLength(1));
  restore();
  await act(() => Promise.resolve(answers[0]?.(new Response(null, { status: 401 }))));
  await act(() => new Promise((done) => setTimeout(done, 20)));
  expect(screen.queryByRole('alert')).toBeNull();
  expect(screen.queryByRole('group')).toBeNull();
  expect(screen.getByRole('button', { name: buttons[0] ?? '' }).getAttribute('aria-disabled')).toBeNull();
});

it('does not ask again whether to sign out everywhere when that was canceled and fails later', async () => {
  let answer: (response: Response) => void = () => undefined;
  vi.stubGlobal('fetch', () => new Promise((resolve) => (answer = resolve)));
  renderAtOrigin(['password'], <SignOutChoices />);
  for (const name of ['Sign out everywhere', 'Sign out everywhere', 'Cancel'])
    await userEvent.click(screen.getByRole('button', { name }));
  await act(() => Promise.resolve(answer(new Response(null, { status: 503 }))));
  await act(() => new Promise((done) => setTimeout(done, 20)));
  expect(screen.queryByRole('group')).toBeNull();
  expect(screen.queryByRole('alert')).toBeNull();
});

it('announces in a region that is there before that no passkey was added', async () => {
  renderWithTexts(<CreationFailure email={null} failure="cancelled" />);
  const region = screen.getByRole('status');
  expect(region.textContent).toBe('');
  await waitFor(() => expect(region.textContent).toBe('No passkey was added. You can try again.'));
});
