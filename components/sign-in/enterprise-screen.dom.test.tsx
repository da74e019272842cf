import { cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { afterEach, expect, it, vi } from 'vitest';
import { writeCookie } from '@/lib/browser/cookies';
import { ApiProblem } from '@/lib/shared/problem';
import { renderAtOrigin } from '@/tests/support/render';
import { EnterpriseScreen } from './enterprise-screen';

// React puts the title into the head, as the framework does.
vi.mock('next/head', () => ({ default: ({ children }: { children: ReactNode }) => children }));
vi.mock('next/router', () => ({ default: {}, useRouter: () => ({ push: () => Promise.resolve(true) }) }));
afterEach(() => {
  cleanup();
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
