import { act, cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { getPendingRedirect, rememberRedirect } from '@/lib/browser/auth/pending';
import { passwordAccount, renderAtOrigin } from '@/tests/support/render';
import { MethodsSection } from './methods-section';

vi.mock('next/router', () => ({ default: {}, useRouter: () => ({ replace: () => Promise.resolve(true) }) }));
afterEach(() => {
  cleanup();
  sessionStorage.clear();
});

it('awaits nothing from a provider that was left by the Back button', async () => {
  renderAtOrigin(['password', 'google.com'], <MethodsSection account={passwordAccount} />);
  rememberRedirect({ provider: 'google.com', mode: 'link' });
  act(() => void window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true })));
  await waitFor(() => expect(getPendingRedirect()).toBeNull());
});

it('offers to connect what the origin lets its learners sign in with, and nothing else', async () => {
  const account = { ...passwordAccount, connectable: ['github.com' as const] };
  renderAtOrigin(['password'], <MethodsSection account={account} />);
  await userEvent.click(screen.getByRole('button', { name: 'Connect another account' }));
  expect(screen.getAllByRole('button', { name: /^Connect (?!another)/ }).map(({ textContent }) => textContent)).toEqual(
    ['Connect GitHub'],
  );
  cleanup();
  renderAtOrigin(['password'], <MethodsSection account={{ ...passwordAccount, connectable: [] }} />);
  expect(screen.queryByRole('button', { name: /^Connect/ })).toBeNull();
});
