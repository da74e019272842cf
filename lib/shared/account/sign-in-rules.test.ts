import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { signInRules, type SignInValues } from '@/lib/browser/account/sign-in-rules';

const check = signInRules.resolver;
const getIssues = (input: Partial<SignInValues>) =>
  Object.entries(check(input).errors).map(([field, error]) => `${field} ${error.message ?? ''}`);

it.each(['lena@campus.test', ' lena@campus.test ', 'l.e+n@mail.campus.test', 'l@c.de'])('accepts %j', (email) => {
  expect(check({ email, password: 'x' })).toEqual({ values: { email: email.trim(), password: 'x' }, errors: {} });
  expect(z.email().safeParse(email.trim()).success).toBe(true);
});

it.each([
  '',
  ' ',
  'lena',
  'lena@',
  '@campus.test',
  'lena@campus',
  'le na@campus.test',
  'lena@campus..test',
  'a@b@c.de',
])('rejects the email %j', (email) => {
  expect(getIssues({ email, password: 'x' })).toEqual(['email fields.emailInvalid']);
  expect(z.email().safeParse(email.trim()).success).toBe(false);
});

it('lists every missing field', () => {
  expect(getIssues({})).toEqual(['email fields.emailInvalid', 'password fields.passwordMissing']);
});
