import { expect, test } from 'vitest';
import { parseEnv, buildSecurityTxt } from './env';

const parse = (variables: Record<string, string>) =>
  parseEnv({ FIREBASE_AUTH_EMULATOR_HOST: 'localhost:9', ...variables });
const SECURITY_CONTACT = 'mailto:security@campus.example';
const SECURITY_CONTACT_EXPIRES = '2999-01-31T12:00:00+02:00';

test('without a contact there is no file', () => {
  expect(buildSecurityTxt(parse({}))).toBeNull();
  expect(buildSecurityTxt(parse({ SECURITY_CONTACT_EXPIRES }))).toBeNull();
});

test('the file has every required field, in UTC and with the languages of reports', () => {
  const variables = { SECURITY_CONTACT, SECURITY_CONTACT_EXPIRES, NEXT_PUBLIC_APP_ORIGIN: 'http://localhost:3000/' };
  expect(buildSecurityTxt(parse(variables))).toBe(
    [
      'Contact: mailto:security@campus.example',
      'Expires: 2999-01-31T10:00:00.000Z',
      'Canonical: http://localhost:3000/.well-known/security.txt',
      'Preferred-Languages: en',
      '',
    ].join('\n'),
  );
});

test.each([
  ['security@campus.example', 'SECURITY_CONTACT: must be mailto:'],
  ['http://campus.example/report', 'SECURITY_CONTACT: must be mailto:'],
  ['mailto:', 'SECURITY_CONTACT: must be mailto:'],
  ['https://campus.example/a\nExpires: never', 'SECURITY_CONTACT: must be mailto:'],
])('the contact %j is refused', (contact, problem) => {
  expect(() => parse({ SECURITY_CONTACT: contact, SECURITY_CONTACT_EXPIRES })).toThrow(problem);
});

test.each([
  ['', 'SECURITY_CONTACT_EXPIRES: is required'],
  ['2020-01-01T00:00:00Z', 'SECURITY_CONTACT_EXPIRES: has passed'],
  ['2999-01-31', 'SECURITY_CONTACT_EXPIRES: must be a time'],
  ['tomorrow', 'SECURITY_CONTACT_EXPIRES: must be a time'],
])('with the expiry %j the app does not start', (expires, problem) => {
  expect(() => parse({ SECURITY_CONTACT, SECURITY_CONTACT_EXPIRES: expires })).toThrow(problem);
});

test('languages are language tags', () => {
  const SECURITY_CONTACT_LANGUAGES = 'english language';
  expect(() => parse({ SECURITY_CONTACT_LANGUAGES })).toThrow('SECURITY_CONTACT_LANGUAGES: must be language tags');
});

test.each([
  ['', 2_000],
  ['0', 0],
  ['50', 50],
])('PROOF_OF_WORK=%s is %i', (value, difficulty) => {
  expect(parse({ PROOF_OF_WORK: value }).PROOF_OF_WORK).toBe(difficulty);
});

test.each(['49', '-1', '20001', '1.5', 'off', 'true'])('PROOF_OF_WORK=%s is refused', (value) => {
  expect(() => parse({ PROOF_OF_WORK: value })).toThrow('PROOF_OF_WORK: must be a whole number from 50 to 20000');
});
