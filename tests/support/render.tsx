import { render, type RenderResult } from '@testing-library/react';
import type { ReactElement } from 'react';
import { AppConfigProvider, PublicEnvProvider } from '@/lib/browser/config/context';
import { MessagesContext } from '@/lib/browser/use-messages';
import { getPublicEnv, parseEnv } from '@/lib/server/runtime/config/env';
import type { AccountSecurity } from '@/lib/shared/account/security';
import type { PageConfig } from '@/lib/shared/config/app-config';
import type { Language } from '@/lib/shared/i18n/languages';
import { SOCIAL_PROVIDER_IDS } from '@/lib/shared/sign-in-methods';
import addPasskey from '@/locales/en/add-passkey.json';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import actions from '@/locales/en/actions.json';
import appShell from '@/locales/en/app-shell.json';
import bounced from '@/locales/en/bounced.json';
import common from '@/locales/en/common.json';
import courses from '@/locales/en/courses.json';
import emailLink from '@/locales/en/email-link.json';
import enterprise from '@/locales/en/enterprise.json';
import forgetPassword from '@/locales/en/forget-password.json';
import instructions from '@/locales/en/instructions.json';
import linkAccount from '@/locales/en/link-account.json';
import mobile from '@/locales/en/mobile.json';
import newPassword from '@/locales/en/new-password.json';
import oneTimeCode from '@/locales/en/one-time-code.json';
import partner from '@/locales/en/partner.json';
import passkeys from '@/locales/en/passkeys.json';
import problems from '@/locales/en/problems.json';
import providers from '@/locales/en/providers.json';
import registration from '@/locales/en/registration.json';
import registrationConfirm from '@/locales/en/registration-confirm.json';
import registrationSuccess from '@/locales/en/registration-success.json';
import resetPassword from '@/locales/en/reset-password.json';
import secondFactor from '@/locales/en/second-factor.json';
import security from '@/locales/en/security.json';
import selfCheck from '@/locales/en/self-check.json';
import setUpSecondFactor from '@/locales/en/set-up-second-factor.json';
import signIn from '@/locales/en/sign-in.json';
import signOut from '@/locales/en/sign-out.json';
import currentPassword from '@/locales/en/current-password.json';
import twoStepVerification from '@/locales/en/two-step-verification.json';

const texts = {
  language: 'en',
  dir: 'ltr',
  messages: {
    actions,
    'add-passkey': addPasskey,
    'app-shell': appShell,
    bounced,
    common,
    courses,
    'email-link': emailLink,
    enterprise,
    'forget-password': forgetPassword,
    instructions,
    'link-account': linkAccount,
    mobile,
    'new-password': newPassword,
    'one-time-code': oneTimeCode,
    partner,
    passkeys,
    problems,
    providers,
    registration,
    'registration-confirm': registrationConfirm,
    'registration-success': registrationSuccess,
    'reset-password': resetPassword,
    'second-factor': secondFactor,
    security,
    'self-check': selfCheck,
    'set-up-second-factor': setUpSecondFactor,
    'sign-in': signIn,
    'sign-out': signOut,
    'current-password': currentPassword,
    'two-step-verification': twoStepVerification,
  },
} as const;

/** The security data of a signed-in user who has only a password. */
export const passwordAccount: AccountSecurity = {
  uid: 'uid-1',
  name: null,
  email: 'mia@campus.test',
  emailVerified: true,
  methods: [{ id: 'password', email: null, usable: true }],
  connectable: SOCIAL_PROVIDER_IDS,
  passkeys: 0,
  hasSecondFactor: false,
  lastSignIn: null,
};

export const withTexts = (content: ReactElement) => <MessagesContext value={texts}>{content}</MessagesContext>;

/** Renders with the product's real messages. `show` renders another element instead. */
export function renderWithTexts(element: ReactElement): RenderResult & { show: (next: ReactElement) => void } {
  const rendered = render(withTexts(element));
  return { ...rendered, show: (next) => rendered.rerender(withTexts(next)) };
}

const env = getPublicEnv(parseEnv({ FIREBASE_AUTH_EMULATOR_HOST: '127.0.0.1:9' }));

/**
 * Renders a screen as at an origin with these sign-in methods. `language` applies to lists and dates, because the texts
 * are English.
 */
export function renderAtOrigin(
  enabledIdentities: PageConfig['enabledIdentities'],
  screen: ReactElement,
  given: Partial<PublicEnv> = {},
  language: Language = 'en',
): void {
  render(
    <MessagesContext value={{ ...texts, language }}>
      <PublicEnvProvider value={{ ...env, ...given }}>
        <AppConfigProvider value={{ enabledIdentities }}>{screen}</AppConfigProvider>
      </PublicEnvProvider>
    </MessagesContext>,
  );
}

/** Renders a screen as at an origin with this brand. */
export function renderForBrand(brand: PageConfig, screen: ReactElement): void {
  renderWithTexts(
    <PublicEnvProvider value={env}>
      <AppConfigProvider value={brand}>{screen}</AppConfigProvider>
    </PublicEnvProvider>,
  );
}
