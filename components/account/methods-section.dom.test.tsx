import { act, cleanup, waitFor } from '@testing-library/react';
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
