import { expect, it } from 'vitest';
import { namespacesFor } from './namespaces';

const everywhere = ['common', 'dashboard', 'not-found'];

it.each([
  ['/sign-in', ['sign-in', 'providers', 'passkeys', 'bounced']],
  ['/sign-in/enterprise', ['sign-in', 'providers', 'passkeys', 'enterprise', 'bounced']],
  [
    '/sign-in/with-email-link',
    ['sign-in', 'providers', 'passkeys', 'email-link', 'bounced', 'one-time-code', 'problems'],
  ],
  ['/sign-in/link-account', ['sign-in', 'providers', 'passkeys', 'link-account', 'bounced']],
  [
    '/sign-in/add-passkey',
    [
      'sign-in',
      'security',
      'add-passkey',
      'providers',
      'passkeys',
      'two-step-verification',
      'bounced',
      'current-password',
    ],
  ],
  [
    '/sign-in/second-factor',
    ['sign-in', 'second-factor', 'providers', 'passkeys', 'bounced', 'one-time-code', 'problems'],
  ],
  ['/registration', ['registration', 'providers', 'bounced', 'account-name', 'new-password', 'problems']],
  [
    '/registration/confirm',
    [
      'registration',
      'registration-confirm',
      'providers',
      'bounced',
      'account-name',
      'new-password',
      'one-time-code',
      'problems',
    ],
  ],
  [
    '/registration/success',
    ['registration', 'registration-success', 'providers', 'bounced', 'account-name', 'new-password', 'problems'],
  ],
  ['/first-login-reset-password', ['reset-password-init', 'new-password', 'problems']],
  ['/forget-password', ['forget-password', 'problems']],
  [
    '/forget-password/instructions',
    ['forget-password', 'instructions', 'new-password', 'reset-password', 'one-time-code', 'problems'],
  ],
  ['/forget-password/reset', ['forget-password', 'reset-password', 'new-password', 'one-time-code', 'problems']],
  ['/forget-password/confirmation', ['forget-password', 'confirmation-password', 'problems']],
  [
    '/account-settings/change-password',
    ['account-settings', 'app-shell', 'new-password', 'current-password', 'problems'],
  ],
  ['/actions', ['actions', 'new-password', 'problems']],
  [
    '/security',
    [
      'app-shell',
      'security',
      'passkeys',
      'two-step-verification',
      'account-name',
      'one-time-code',
      'current-password',
      'problems',
    ],
  ],
  ['/user/courses', ['app-shell', 'courses']],
  ['/app-shell', ['app-shell']],
  ['/self-check', ['self-check']],
  ['/sign-out', ['sign-out']],
  ['/partner-auth/initiate', ['partner', 'bounced']],
  ['/mobile/account-selection', ['mobile']],
  ['/404', []],
  ['/sign-in-elsewhere', []],
])('%s', (route, own) => {
  expect(namespacesFor(route)).toEqual([...everywhere, ...own]);
});
