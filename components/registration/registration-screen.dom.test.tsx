import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import type { PageConfig } from '@/lib/shared/config/app-config';
import { renderAtOrigin } from '@/tests/support/render';
import { RegistrationScreen } from './registration-screen';

vi.mock('next/router', () => ({ default: {}, useRouter: () => ({ push: () => Promise.resolve(true) }) }));
afterEach(cleanup);

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
