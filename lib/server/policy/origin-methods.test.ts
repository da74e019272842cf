// ASVS: 6.1.3, 6.3.4
// Threats: forbidden-method
import { expect, test } from 'vitest';
import { SOCIAL_PROVIDER_IDS, SOCIAL_PROVIDERS } from '@/lib/shared/sign-in-methods';
import { decideMethod } from './origin-methods';

/** Each identity that an origin can enable, with its methods. */
const IDENTITIES: Record<string, readonly string[]> = {
  password: ['password', 'passkey', 'email-link', 'registration'],
  enterprise: ['enterprise', 'saml.acme'],
  ...Object.fromEntries(SOCIAL_PROVIDER_IDS.map((id) => [id, [SOCIAL_PROVIDERS[id].firebaseId]])),
};
const names = Object.keys(IDENTITIES);

/** Every set of identities. */
const sets = Array.from({ length: 2 ** names.length }, (_, bits) => new Set(names.filter((_, at) => (bits >> at) & 1)));

test('an origin lets in by each set of identities exactly the methods that these stand for', () => {
  expect(sets).toHaveLength(512);
  const wrong = sets.flatMap((enabled) =>
    Object.entries(IDENTITIES).flatMap(([identity, methods]) =>
      methods.filter((method) => (decideMethod(method, enabled) === null) !== enabled.has(identity)),
    ),
  );
  expect(wrong).toEqual([]);
});

test.each(['custom', 'oidc.acme'])('%s is decided on elsewhere', (method) => {
  expect(sets.filter((enabled) => decideMethod(method, enabled) !== null)).toEqual([]);
});

test('a refusal has a code that the learner is told of, and names its rule', () => {
  expect(decideMethod('password', new Set())).toEqual({ code: 'provider-not-allowed', rule: 'method-not-enabled' });
});
