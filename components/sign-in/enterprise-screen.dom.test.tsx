import { act, cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { afterEach, expect, it, vi } from 'vitest';
import { rememberRedirect } from '@/lib/browser/auth/pending';
import { writeCookie } from '@/lib/browser/cookies';
import { ApiProblem } from '@/lib/shared/problem';
import { renderAtOrigin } from '@/tests/support/render';
import { EnterpriseScreen } from './enterprise-screen';

// React puts the title into the head, as the framework does.
vi.mock('next/head', () => ({ default: ({ children }: { children: ReactNode }) => children }));
// The identity provider has signed in the learner, and the page is being left.
vi.mock(import('@/lib/browser/auth/sign-in/federated'), async (original) => ({
  ...(await original()),
  finishRedirect: () => Promise.resolve(null),
}));
vi.mock('next/router', () => ({ default: {}, useRouter: () => ({ push: () => Promise.resolve(true) }) }));
afterEach(() => {
  cleanup();
  sessionStorage.clear();
  vi.unstubAllGlobals();
});

it('says what is wrong with an address until it is corrected, and no longer what was with the sign-in before', async () => {
  vi.stubGlobal('fetch', () => {
    const problem = new ApiProblem('invalid-enterprise-domain');
    return Promise.resolve(Response.json(problem, { status: problem.status }));
  });
  writeCookie('ssoLoginInit', 'saml.acme', 'localhost');
  renderAtOrigin(['enterprise'], <EnterpriseScreen />);
  const user = userEvent.setup();
  const field = screen.getByRole<HTMLInputElement>('textbox', { name: 'Email' });
  await screen.findByText(/^Your last sign-in with your organization didn't finish/);
  await user.type(field, 'mia@nowhere.tset{Enter}');
  await screen.findByText(/^We don't recognize this organization/);
  await waitFor(() => expect(document.activeElement).toBe(field));
  await waitFor(() => expect(document.title).toMatch(/^Error: /));
  await user.type(field, '{Backspace}{Backspace}st');
  await waitFor(() => expect(document.title).not.toMatch(/^Error: /));
  expect(screen.queryByText(/^We don't recognize/)).toBeNull();
  expect(screen.queryByText(/didn't finish/)).toBeNull();
});

it('does not wait for an organization any more after Back from the page that it led to', async () => {
  rememberRedirect({ provider: 'saml.acme', mode: 'signIn' });
  renderAtOrigin(['enterprise'], <EnterpriseScreen />);
  const button = screen.getByRole('button', { name: /^Continue with/ });
  await waitFor(() => expect(button.getAttribute('aria-disabled')).toBe('true'));
  act(() => void window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true })));
  expect(button.getAttribute('aria-disabled')).toBeNull();
});

it('does not tell of a partner whose sign-in had no result', async () => {
  writeCookie('ssoLoginInit', 'oidc.acme', 'localhost');
  renderAtOrigin(['enterprise'], <EnterpriseScreen />);
  // It was looked at.
  await waitFor(() => expect(document.cookie).not.toContain('oidc.acme'));
  expect(screen.queryByText(/didn't finish/)).toBeNull();
});
