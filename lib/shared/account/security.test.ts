import { expect, it } from 'vitest';
import { canChangeMethod, canRemovePasskey, type AccountSecurity } from './security';

/** @param ids ids of methods; an id with a `-` at its end is not usable */
const accountWith = (...ids: string[]): AccountSecurity => ({
  uid: 'uid-1',
  name: null,
  email: 'lena@campus.test',
  emailVerified: true,
  methods: ids.map((id) => ({ id: id.replace(/-$/, ''), email: null, usable: !id.endsWith('-') })),
  connectable: [],
  passkeys: 0,
  hasSecondFactor: false,
  lastSignIn: null,
});

it.each([
  ['google.com', ['google.com'], true],
  ['google.com', ['github.com'], false],
  ['google.com', [], false],
] as const)('a method is linked where it can be connected: %s where that is %s', (id, connectable, possible) => {
  expect(canChangeMethod({ ...accountWith('password'), connectable }, { kind: 'link', id })).toBe(possible);
});

it.each([
  ['password', ['password'], false],
  ['password', ['password', 'google.com'], true],
  ['google.com', ['password'], false],
  ['google.com', ['google.com', 'oidc.linkedin'], true],
  ['saml.acme', ['password', 'saml.acme'], true],
  ['password', ['password', 'saml.acme-'], false],
  ['saml.acme', ['password', 'saml.acme-'], true],
  ['saml.acme', ['oidc.closed-', 'saml.acme-'], false],
  ['password', ['password', 'oidc.closed-', 'google.com'], true],
] as const)('a linked method is unlinked unless no other can sign in: %s of %s', (id, linked, possible) => {
  expect(canChangeMethod(accountWith(...linked), { kind: 'unlink', id })).toBe(possible);
});

it.each([
  ['password', ['password'], 0, false],
  ['password', ['password'], 1, false],
  ['password', ['password'], 2, true],
  ['saml.acme', ['password-', 'saml.acme'], 1, false],
  ['saml.acme', ['password-', 'saml.acme'], 2, true],
  ['password', ['password', 'google.com'], 0, true],
] as const)('two passkeys replace the last method: %s of %s with %i', (id, linked, passkeys, possible) => {
  expect(canChangeMethod({ ...accountWith(...linked), passkeys }, { kind: 'unlink', id })).toBe(possible);
});

it.each([
  [[], 0, false],
  [[], 1, true],
  [['password'], 0, true],
  [['saml.acme-'], 0, false],
  [['saml.acme-'], 1, true],
] as const)('a passkey is removed unless nothing else signs in: of %s and %i others', (linked, passkeys, possible) => {
  expect(canRemovePasskey({ ...accountWith(...linked), passkeys })).toBe(possible);
});
