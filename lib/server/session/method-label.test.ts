import { expect, test } from 'vitest';
import { SOCIAL_PROVIDERS } from '@/lib/shared/sign-in-methods';
import { getSignInMethodLabel } from './firebase';

test.each([
  ['password', 'password'],
  ['custom', 'custom'],
  ['saml.acme', 'saml'],
  ['oidc.acme', 'oidc'],
  ['phone', 'other'],
  ['anonymous', 'other'],
  ['', 'other'],
])('%s is counted as %s', (provider, label) => {
  expect(getSignInMethodLabel(provider)).toBe(label);
});

test('every social provider is counted under its own name, LinkedIn not as a partner', () => {
  for (const [id, { firebaseId }] of Object.entries(SOCIAL_PROVIDERS))
    expect(getSignInMethodLabel(firebaseId)).toBe(id);
});
