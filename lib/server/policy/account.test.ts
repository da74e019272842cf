import type { UserRecord } from 'firebase-admin/auth';
import { describe, expect, test } from 'vitest';
import type { Directory } from './directory';
import {
  PROVED_ADDRESS_CLAIM,
  UNPROVED_REGISTRATION_CLAIM,
  editClaims,
  toAccountFacts,
  getAccessLevel,
} from './account';
import { isAbandoned } from './mailbox';

const directory: Directory = {
  publicMailboxDomains: new Set(),
  enterprises: new Map([['acme.test', { name: 'Acme', provider: 'saml.acme' }]]),
  partners: new Map(),
};
const user = (properties: object) =>
  ({
    uid: 'u',
    email: 'Erin@acme.test',
    emailVerified: false,
    disabled: false,
    providerData: [],
    ...properties,
  }) as unknown as UserRecord;

const createFacts = (properties: object, known: Directory | null = null, firstEmail: string | null = null) =>
  toAccountFacts(user(properties), known, firstEmail);

describe('facts of an account', () => {
  test('a verified email counts unless another one was there before, and this one was never proved here', () => {
    for (const emailVerified of [true, false])
      for (const proved of [null, 'erin@acme.test', 'mallory@acme.test'])
        for (const firstEmail of [null, 'ERIN@acme.test', 'x@replacement.invalid', 'mallory@acme.test']) {
          const customClaims = proved === null ? {} : { [PROVED_ADDRESS_CLAIM]: proved };
          const facts = createFacts({ emailVerified, customClaims }, null, firstEmail);
          const hadOtherEmail = proved === null && firstEmail === 'mallory@acme.test';
          expect(facts).toMatchObject({
            emailVerified: emailVerified && !hadOtherEmail,
            verifiedAtProvider: emailVerified,
            hadOtherEmail,
            hasProvedEmail: proved === 'erin@acme.test',
            disabled: proved === 'mallory@acme.test',
          });
        }
  });

  test('a verified email of a registration counts once its mailbox was proved here, whatever signs in to it', () => {
    const identity = { email: 'erin@acme.test', uid: 's' };
    for (const emailVerified of [true, false])
      for (const mark of [undefined, true, 'true', 1, false])
        for (const proved of [null, 'erin@acme.test', 'mallory@acme.test'])
          for (const firstEmail of [null, 'x@replacement.invalid', 'mallory@acme.test'])
            for (const methods of [[], ['password'], ['google.com'], ['password', 'github.com'], ['saml.acme']]) {
              const customClaims = {
                ...(proved !== null && { [PROVED_ADDRESS_CLAIM]: proved }),
                ...(mark !== undefined && { [UNPROVED_REGISTRATION_CLAIM]: mark }),
              };
              const providerData = methods.map((providerId) => ({ ...identity, providerId }));
              const given = { emailVerified, customClaims, providerData };
              const facts = createFacts(given, directory, firstEmail);
              const { [UNPROVED_REGISTRATION_CLAIM]: _, ...unmarked } = customClaims;
              const without = createFacts({ ...given, customClaims: unmarked }, directory, firstEmail);
              const isUnproved = mark === true && proved === null;
              // Nothing else of the account depends on the mark: without it, it is as it was.
              expect(facts).toEqual({ ...without, emailVerified: without.emailVerified && !isUnproved });
              expect(isAbandoned(facts)).toBe(isAbandoned(without));
              if (proved === 'erin@acme.test') expect(facts.emailVerified).toBe(emailVerified);
            }
  });

  test('count an account as disabled if its email is not the one that was proved', () => {
    const isDisabled = (proved?: string) =>
      createFacts({ customClaims: proved === undefined ? {} : { [PROVED_ADDRESS_CLAIM]: proved } }, null).disabled;
    expect([undefined, 'erin@acme.test', 'mallory@acme.test'].map(isDisabled)).toEqual([false, false, true]);
  });

  test('contain the time from which sign-ins are valid', () => {
    expect(createFacts({ tokensValidAfterTime: 'Sun, 01 Feb 2026 10:00:00 GMT' }, null).validSince).toBe(
      Date.UTC(2026, 1, 1, 10) / 1000,
    );
    expect(createFacts({}, null).validSince).toBe(0);
  });

  test.each([
    ['by its address', { email: 'erin@ACME.test', uid: 'x' }, true],
    ["by the subject's name", { email: '', uid: 'erin@acme.test' }, true],
    ['by another email address', { email: 'mallory@acme.test', uid: 'erin@acme.test' }, false],
    ['by no address', { email: '', uid: 'x' }, false],
  ])('recognize an organization that manages the account %s: %j', (_how, identity, managed) => {
    const providerData = [{ providerId: 'saml.acme', ...identity }];
    expect(createFacts({ providerData }, directory).managed).toBe(managed);
    expect(createFacts({ providerData }, null).managed).toBe(false);
    expect(createFacts({ providerData, email: 'erin@other.test' }, directory).managed).toBe(false);
  });

  test('recognize an organization among several methods, and none without an email', () => {
    const google = { providerId: 'google.com', email: 'erin@acme.test', uid: 'g' };
    const saml = { providerId: 'saml.acme', email: 'erin@acme.test', uid: 's' };
    expect(createFacts({ providerData: [google, saml] }, directory).managed).toBe(true);
    expect(createFacts({ providerData: [] }, directory).managed).toBe(false);
    const nameless = createFacts({ email: undefined, providerData: [{ ...saml, email: '', uid: 'x' }] }, directory);
    expect(nameless).toMatchObject({ email: null, managed: false, methods: [{ id: 'saml.acme', email: null }] });
  });

  test('keep the legacy claim, and whether there are other claims', () => {
    expect(createFacts({ customClaims: { legacy: true } }, null)).toMatchObject({
      legacy: true,
      hasClaims: true,
    });
    expect(createFacts({ customClaims: {} }, null)).toMatchObject({ legacy: false, hasClaims: false });
  });
});

describe('claims', () => {
  const marked = { [UNPROVED_REGISTRATION_CLAIM]: true };

  test('a proof removes the mark of a registration, and no claims of others', () => {
    expect(editClaims({ team: 'a', ...marked }, { dropsUnproved: true })).toEqual({ team: 'a' });
    const proved = { [PROVED_ADDRESS_CLAIM]: 'erin@acme.test' };
    for (const edit of [{}, { dropsUnproved: true }, { dropsUnproved: false }])
      expect(editClaims({ team: 'a', ...marked }, { proved: 'Erin@acme.test', ...edit })).toEqual({
        team: 'a',
        ...proved,
      });
  });

  test('no other edit touches the mark', () => {
    for (const edit of [{}, { dropsLegacy: true }, { proved: undefined }, { secondFactorSince: null }])
      expect(editClaims({ legacy: false, ...marked }, edit)).toMatchObject(marked);
    expect(editClaims({}, { secondFactorSince: new Date(0) })).toEqual({ second_factor: 0 });
  });
});

test.each([
  [{ accessLevel: 'teacher' }, 'teacher'],
  [{}, 'standard'],
  [undefined, 'standard'],
  [{ accessLevel: 7 }, 'standard'],
  [{ accessLevel: '' }, 'standard'],
  [{ accessLevel: 'a; Domain=evil.example' }, 'standard'],
])('the access level of %j is %s', (claims, level) => {
  expect(getAccessLevel(claims)).toBe(level);
});
