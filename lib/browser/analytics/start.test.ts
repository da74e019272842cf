import { expect, it } from 'vitest';
import {
  addFilteredAccounts,
  isFilteredAccount,
  providerName,
  getTraits,
  getUserProperties,
  type AnalyticsUser,
} from './start';

it.each([
  [null, true],
  ['', true],
  [' ', true],
  ['test+anything@campus.test', true],
  ['TEST+Robot@Campus.Test', true],
  ['test@campus.test', false],
  ['contest+x@campus.test', false],
  ['test+x@campus.test.evil.example', false],
  ['learner@campus.test', false],
])('%s is left out: %s', (email, filtered) => {
  expect(isFilteredAccount(email, 'test@campus.test')).toBe(filtered);
});

it('accepts more patterns at run time', () => {
  expect(isFilteredAccount('robot@partner.example', 'test@campus.test')).toBe(false);
  addFilteredAccounts(/^robot@/gi);
  for (const email of ['robot@partner.example', 'Robot@partner.example'])
    expect(isFilteredAccount(email, 'test@campus.test')).toBe(true);
  expect(isFilteredAccount('learner@partner.example', 'test@campus.test')).toBe(false);
});

const pat: AnalyticsUser = { uid: 'uid-1', email: 'pat@campus.test', displayName: '', photoURL: null };
const visit = { sessionId: 'sid-1', clickId: 'click-1', source: 'mail' };

it('uses the display name, or else the email, as the name', () => {
  expect(getTraits(pat, { utm_source_first: 'mail' })).toEqual({
    email: 'pat@campus.test',
    distinct_id: 'pat@campus.test',
    name: 'pat@campus.test',
    utm_source_first: 'mail',
  });
  expect(getTraits({ ...pat, displayName: 'Pat' }, {}).name).toBe('Pat');
});

it('sends every known user property of the specification', () => {
  const account = {
    providerId: 'google.com',
    providerIds: ['google.com', 'password', 'saml.acme'],
    createdAt: 'Sat, 21 Nov 2026 07:00:00 GMT',
    lastSignInAt: 'Sat, 21 Nov 2026 08:00:00 GMT',
    anonymous: false,
  };
  expect(getUserProperties({ ...pat, photoURL: 'https://campus.test/pat.png', account }, visit)).toEqual({
    user_id: 'uid-1',
    session_id: 'sid-1',
    click_id: 'click-1',
    source: 'mail',
    provider_id: 'Google',
    provider_ids: ['Google', 'credentials', 'saml.acme'],
    name: 'pat@campus.test',
    email: 'pat@campus.test',
    creation_time: 'Sat, 21 Nov 2026 07:00:00 GMT',
    last_sign_in_time: 'Sat, 21 Nov 2026 08:00:00 GMT',
    photo_url: 'https://campus.test/pat.png',
    is_anonymous: false,
  });
});

it('leaves out unknown properties, so that known ones are not overwritten', () => {
  const none = { sessionId: undefined, clickId: undefined, source: undefined };
  expect(Object.keys(getUserProperties(pat, none))).toEqual(['user_id', 'name', 'email']);
});

it.each([
  ['password', 'credentials'],
  ['facebook.com', 'Facebook'],
  ['google.com', 'Google'],
  ['github.com', 'Github'],
  ['microsoft.com', 'Microsoft'],
  ['linkedin.com', 'Linkedin'],
  ['oidc.linkedin', 'Linkedin'],
  ['saml.acme', 'saml.acme'],
])('%s is %s', (id, name) => {
  expect(providerName(id)).toBe(name);
});
