import { expect, it } from 'vitest';
import { namespacesFor } from './namespaces';

const everywhere = ['common', 'dashboard', 'not-found'];

it.each([
  ['/sign-in', ['sign-in']],
  ['/sign-in/enterprise', ['sign-in']],
  ['/registration', ['registration']],
  ['/registration/confirm', ['registration', 'registration-confirm']],
  ['/registration/success', ['registration', 'registration-success']],
  ['/first-login-reset-password', ['reset-password-init']],
  ['/forget-password', ['forget-password']],
  ['/forget-password/instructions', ['forget-password', 'instructions']],
  ['/forget-password/reset', ['forget-password', 'reset-password']],
  ['/forget-password/confirmation', ['forget-password', 'confirmation-password']],
  ['/account-settings/change-password', ['account-settings']],
  ['/actions', []],
  ['/sign-in-elsewhere', []],
])('%s', (route, own) => {
  expect(namespacesFor(route)).toEqual([...everywhere, ...own]);
});
