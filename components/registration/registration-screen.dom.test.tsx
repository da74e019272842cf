import { cleanup, screen, waitFor } from '@testing-library/react';
import userEvent, { type UserEvent } from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { afterEach, expect, it, vi } from 'vitest';
import type { PageConfig } from '@/lib/shared/config/app-config';
import { ApiProblem } from '@/lib/shared/problem';
import { renderAtOrigin } from '@/tests/support/render';
import { RegistrationScreen } from './registration-screen';

// React puts the title into the head, as the framework does.
vi.mock('next/head', () => ({ default: ({ children }: { children: ReactNode }) => children }));
vi.mock('next/router', () => ({ default: {}, useRouter: () => ({ push: () => Promise.resolve(true) }) }));
afterEach(() => {
  cleanup();
  window.sessionStorage.clear();
  vi.unstubAllGlobals();
});

it.each<[NonNullable<PageConfig['enabledIdentities']>, form: boolean, google: boolean]>([
  [['password'], true, false],
  [['password', 'google.com'], true, true],
  [['google.com', 'enterprise'], false, true],
  [['enterprise'], false, false],
])('at an origin with %j an account is made by what it has, and led to where there is any', (enabled, form, google) => {
  renderAtOrigin(enabled, <RegistrationScreen />);
  expect(screen.queryByRole('button', { name: 'Create account' }) !== null).toBe(form);
  expect(screen.queryByRole('button', { name: 'Continue with Google' }) !== null).toBe(google);
  expect(screen.queryByText(/^Accounts can't be created here/) !== null).toBe(!form && !google);
});

const password = () => screen.getByLabelText<HTMLInputElement>('Password', { selector: 'input' });

it.each([
  ['the password is corrected', (user: UserEvent) => user.type(password(), '{Backspace}3')],
  ['there is none', (user: UserEvent) => user.click(screen.getByRole('button', { name: /passkey/ }))],
])('the title says that there is an error until %s', async (_, correct) => {
  vi.stubGlobal('PublicKeyCredential', class {});
  vi.stubGlobal('fetch', () => {
    const problem = new ApiProblem('password-breached');
    return Promise.resolve(Response.json(problem, { status: problem.status }));
  });
  renderAtOrigin(['password'], <RegistrationScreen />, { passkeys: true });
  const user = userEvent.setup();
  await user.type(screen.getByRole('textbox', { name: 'Name' }), 'Mia Moreau');
  await user.type(screen.getByRole('textbox', { name: 'Email' }), 'mia@campus.test');
  await user.type(password(), 'quiet-lantern-42{Enter}');
  await screen.findByText(/^This password has been leaked/);
  await waitFor(() => expect(document.activeElement).toBe(password()));
  await waitFor(() => expect(document.title).toMatch(/^Error: /));
  await correct(user);
  await waitFor(() => expect(document.title).toMatch(/^Create your account/));
  expect(screen.queryByText(/^This password has appeared/)).toBeNull();
});

it('who comes back to another email address registers the same way, without a password', async () => {
  vi.stubGlobal('PublicKeyCredential', class {});
  const bodies: unknown[] = [];
  vi.stubGlobal('fetch', (_path: string, { body }: { body: string }) => {
    bodies.push(JSON.parse(body));
    return Promise.resolve(Response.json({ flow: 'a' }));
  });
  const user = userEvent.setup();
  const open = () => renderAtOrigin(['password'], <RegistrationScreen />, { passkeys: true });
  open();
  await user.click(screen.getByRole('button', { name: /passkey/ }));
  await user.type(screen.getByRole('textbox', { name: 'Name' }), 'Mia Moreau');
  await user.type(screen.getByRole('textbox', { name: 'Email' }), 'mia@campus.test{Enter}');
  await waitFor(() => expect(bodies).toMatchObject([{ passkey: true }]));
  cleanup();
  open();
  expect(screen.queryByLabelText('Password', { selector: 'input' })).toBeNull();
  // The choice can still be changed.
  await user.click(screen.getByRole('button', { name: /password/ }));
  expect(password()).toBeTruthy();
});
