import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { signInSchema } from './sign-in-schema';

const { validate } = signInSchema['~standard'];
const issuesOf = (input: unknown) => {
  const result = validate(input);
  return 'issues' in result ? result.issues.map(({ path, message }) => `${path[0]} ${message}`) : [];
};

it.each(['lena@campus.test', ' lena@campus.test ', 'l.e+n@mail.campus.test', 'l@c.de'])('takes %j', (email) => {
  expect(validate({ email, password: 'x' })).toEqual({ value: { email: email.trim(), password: 'x' } });
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
])('names the address %j as wrong', (email) => {
  expect(issuesOf({ email, password: 'x' })).toEqual(['email fields.emailInvalid']);
  expect(z.email().safeParse(email.trim()).success).toBe(false);
});

it('names everything that is missing', () => {
  expect(issuesOf({})).toEqual(['email fields.emailInvalid', 'password fields.passwordMissing']);
  expect(issuesOf({ email: undefined, password: undefined })).toHaveLength(2);
});
