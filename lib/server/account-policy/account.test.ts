import type { UserRecord } from 'firebase-admin/auth';
import { describe, expect, test } from 'vitest';
import type { Directory } from '../directory/file';
import { PROVED_ADDRESS_CLAIM, toAccountFacts } from './account';

const directory: Directory = {
  publicMailboxDomains: new Set(),
  enterprises: new Map([['acme.test', { name: 'Acme', provider: 'saml.acme' }]]),
  partners: new Map(),
};
const user = (properties: object) =>
  ({ uid: 'u', email: 'Erin@acme.test', emailVerified: false, disabled: false, providerData: [], ...properties }) as unknown as UserRecord; // prettier-ignore

describe('facts of an account', () => {
  test('count an account as disabled if its email is not the one that was verified', () => {
    const isDisabled = (proved?: string) =>
      toAccountFacts(user({ customClaims: proved === undefined ? {} : { [PROVED_ADDRESS_CLAIM]: proved } }), null)
        .disabled;
    expect([undefined, 'erin@acme.test', 'mallory@acme.test'].map(isDisabled)).toEqual([false, false, true]);
  });

  test('contain the time from which sign-ins are valid', () => {
    expect(toAccountFacts(user({ tokensValidAfterTime: 'Sun, 01 Feb 2026 10:00:00 GMT' }), null).validSince).toBe(
      Date.UTC(2026, 1, 1, 10) / 1000,
    );
    expect(toAccountFacts(user({}), null).validSince).toBe(0);
  });

  test.each([
    ['by its address', { email: 'erin@ACME.test', uid: 'x' }, true],
    ["by the subject's name", { email: '', uid: 'erin@acme.test' }, true],
    ['by another email address', { email: 'mallory@acme.test', uid: 'erin@acme.test' }, false],
    ['by no address', { email: '', uid: 'x' }, false],
  ])('recognize an organization that manages the account %s: %j', (_how, identity, managed) => {
    const providerData = [{ providerId: 'saml.acme', ...identity }];
    expect(toAccountFacts(user({ providerData }), directory).managed).toBe(managed);
    expect(toAccountFacts(user({ providerData }), null).managed).toBe(false);
    expect(toAccountFacts(user({ providerData, email: 'erin@other.test' }), directory).managed).toBe(false);
  });

  test('recognize an organization among several methods, and none without an email', () => {
    const google = { providerId: 'google.com', email: 'erin@acme.test', uid: 'g' };
    const saml = { providerId: 'saml.acme', email: 'erin@acme.test', uid: 's' };
    expect(toAccountFacts(user({ providerData: [google, saml] }), directory).managed).toBe(true);
    expect(toAccountFacts(user({ providerData: [] }), directory).managed).toBe(false);
    const nameless = toAccountFacts(
      user({ email: undefined, providerData: [{ ...saml, email: '', uid: 'x' }] }),
      directory,
    );
    expect(nameless).toMatchObject({ email: null, managed: false, methods: [{ id: 'saml.acme', email: null }] });
  });

  test('keep the legacy claim, and whether there are other claims', () => {
    expect(toAccountFacts(user({ customClaims: { legacy: true } }), null)).toMatchObject({
      legacy: true,
      hasClaims: true,
    });
    expect(toAccountFacts(user({ customClaims: {} }), null)).toMatchObject({ legacy: false, hasClaims: false });
  });
});
