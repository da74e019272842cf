// cspell:ignore пользователь
import { describe, expect, it } from 'vitest';
import { buildClaims, CLAIMS, getRequestedAssurance } from './claims';

const person = {
  email: 'pat@campus.test',
  emailVerified: true,
  displayName: 'Pat Doe',
  photoURL: 'https://img.test/p.png',
};
const build = (more: Partial<typeof person>, allowed: readonly (typeof CLAIMS)[number][] = CLAIMS) =>
  buildClaims({ ...person, ...more }, { sub: 'AbC', locale: 'de', allowed });

describe('claims', () => {
  it('are those of the account', () => {
    expect(build({})).toEqual({
      ...{ name: 'Pat Doe', given_name: 'Pat', family_name: 'Doe', preferred_username: 'abc', locale: 'de' },
      ...{ picture: 'https://img.test/p.png', email: 'pat@campus.test', email_verified: true },
    });
  });

  it('have a user name that Moodle takes, for every subject one of its own', () => {
    const subjects = ['Abc-1_2.3', 'auth0|5f7c8', 'auth0 5f7c8', 'Zoë', 'a'.repeat(128), 'пользователь', 'a/b', 'a|b'];
    const names = subjects.map((sub) => buildClaims(person, { sub, locale: null, allowed: CLAIMS }).preferred_username);
    // Moodle cleans a user name like this (PARAM_USERNAME).
    for (const name of names) expect(name).toMatch(/^[-.@_a-z0-9]{1,100}$/);
    expect(new Set(names).size).toBe(subjects.length);
    expect(names[0]).toBe('abc-1_2.3');
  });

  it.each([
    ['Ana María de la Cruz', 'Ana María de la', 'Cruz'],
    ['  Pat   Doe ', 'Pat', 'Doe'],
    ['Zoé', 'Zoé', undefined],
  ])('split %j', (displayName, given, family) => {
    const claims = build({ displayName });
    expect([claims.given_name, claims.family_name]).toEqual([given, family]);
  });

  it('leave out what is not verified, not safe or not configured', () => {
    const unverified = build({ emailVerified: false, photoURL: 'http://img.test/p.png' });
    for (const name of ['email', 'email_verified', 'picture']) expect(unverified).not.toHaveProperty(name);
    expect(build({}, ['email'])).toEqual({ email: 'pat@campus.test' });
  });
});

it.each([
  ['aal2', 2],
  ['aal2 aal1', 1],
  ['aal1', 1],
  ['urn:other aal2', 2],
  ['AAL2', 1],
  [undefined, 1],
])('acr_values %j asks for %i', (values, expected) => {
  expect(getRequestedAssurance(values)).toBe(expected);
});
