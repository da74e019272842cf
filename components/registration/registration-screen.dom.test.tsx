import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { AppConfigProvider, PublicEnvProvider } from '@/lib/browser/config/context';
import { getPublicEnv, parseEnv } from '@/lib/server/runtime/config/env';
import type { PageConfig } from '@/lib/shared/config/app-config';
import { renderWithTexts } from '@/tests/support/render';
import { RegistrationScreen } from './registration-screen';

vi.mock('next/router', () => ({ default: {}, useRouter: () => ({ push: () => Promise.resolve(true) }) }));
afterEach(cleanup);

const env = getPublicEnv(parseEnv({ FIREBASE_AUTH_EMULATOR_HOST: '127.0.0.1:9' }));
const show = (enabledIdentities: PageConfig['enabledIdentities'], element: React.ReactElement) =>
  renderWithTexts(
    <PublicEnvProvider value={env}>
      <AppConfigProvider value={{ enabledIdentities }}>{element}</AppConfigProvider>
    </PublicEnvProvider>,
  );

it.each<[NonNullable<PageConfig['enabledIdentities']>, form: boolean, google: boolean]>([
  [['password'], true, false],
  [['password', 'google.com'], true, true],
  [['google.com', 'enterprise'], false, true],
  [['enterprise'], false, false],
])('at an origin with %j an account is made by what it has, and led to where there is any', (enabled, form, google) => {
  show(enabled, <RegistrationScreen />);
  expect(screen.queryByRole('button', { name: 'Create account' }) !== null).toBe(form);
  expect(screen.queryByRole('button', { name: 'Continue with Google' }) !== null).toBe(google);
  expect(screen.queryByText(/^Accounts can't be created here/) !== null).toBe(!form && !google);
});
