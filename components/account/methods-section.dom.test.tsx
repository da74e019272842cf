import { act, cleanup, waitFor } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { getPendingRedirect, rememberRedirect } from '@/lib/browser/auth/pending';
import type { AccountSecurity } from '@/lib/shared/account/security';
import { renderAtOrigin } from '@/tests/support/render';
import { MethodsSection } from './methods-section';

vi.mock('next/router', () => ({ default: {}, useRouter: () => ({ replace: () => Promise.resolve(true) }) }));
afterEach(() => {
  cleanup();
  sessionStorage.clear();
});

it('awaits nothing from a provider that was left by the Back button', async () => {
  const account: AccountSecurity = {
    uid: 'uid-1',
    name: null,
    email: 'mia@campus.test',
    emailVerified: true,
    methods: [{ id: 'password', email: null, usable: true }],
    passkeys: 0,
    hasSecondFactor: false,
    lastSignIn: null,
  };
  renderAtOrigin(['password', 'google.com'], <MethodsSection account={account} />);
  rememberRedirect({ provider: 'google.com', mode: 'link' });
  act(() => void window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true })));
  await waitFor(() => expect(getPendingRedirect()).toBeNull());
});
