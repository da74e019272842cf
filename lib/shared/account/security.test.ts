import { expect, it } from 'vitest';
import { canChangeMethod, canRemovePasskey, type AccountSecurity, asksFirst, getMissingProof } from './security';

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

const NOW = 1_800_000_000_000;
it.each([
  ['email', 0, 1, false, null],
  ['email', 299_999, 1, false, null],
  ['email', 300_000, 1, false, 'proof'],
  ['email', 0, 1, true, 'code'],
  ['email', 299_999, 2, true, null],
  ['email', 300_000, 2, true, 'proof'],
  // A password or a provider is shown for each change.
  ['password', 0, 1, false, 'proof'],
  [null, 0, 1, false, 'proof'],
] as const)(
  'a sign-in by email counts as a proof for five minutes: %s, %i ms ago, %i of two factors (required: %s)',
  (method, age, factors, hasSecondFactor, missing) => {
    expect(getMissingProof({ method, provedAt: NOW - age, factors }, { hasSecondFactor }, NOW)).toBe(missing);
  },
);

it.each([
  [['password'], false],
  [['password', 'google.com'], false],
  [['google.com'], true],
  [[], true],
] as const)('a removal shows its effect before a single press can make it: of %s', (linked, asks) => {
  expect(asksFirst(accountWith(...linked))).toBe(asks);
});
