import { expect, it } from 'vitest';
import { canChangeMethod, type AccountSecurity } from './security';

const accountWith = (...ids: string[]): AccountSecurity => ({
  uid: 'uid-1',
  email: 'lena@campus.test',
  emailVerified: true,
  methods: ids.map((id) => ({ id, email: null })),
  lastSignIn: null,
});

it.each([
  ['google.com', ['password'], true],
  ['google.com', ['password', 'google.com'], false],
  ['linkedin.com', ['password'], true],
  ['linkedin.com', ['password', 'oidc.linkedin'], false],
] as const)('a method is linked once: %s to %s', (id, linked, possible) => {
  expect(canChangeMethod(accountWith(...linked), { kind: 'link', id })).toBe(possible);
});

it.each([
  ['password', ['password'], false],
  ['password', ['password', 'google.com'], true],
  ['google.com', ['password'], false],
  ['google.com', ['google.com', 'oidc.linkedin'], true],
  ['saml.acme', ['password', 'saml.acme'], true],
] as const)('a linked method is unlinked unless it is the last: %s of %s', (id, linked, possible) => {
  expect(canChangeMethod(accountWith(...linked), { kind: 'unlink', id })).toBe(possible);
});
