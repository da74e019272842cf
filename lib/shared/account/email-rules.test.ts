import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EMAIL_ADDRESS, EMAIL_MAX, emailRules } from './email-rules';
import { emailField } from './fields';

const byRules = (email: string) => {
  const { values, errors } = emailRules.resolver({ email });
  return 'email' in errors ? null : values;
};
const bySchema = (email: string) => {
  const { success, data } = emailField.safeParse(email);
  return success ? { email: data } : null;
};

it.each([
  'lena@campus.test',
  ' Lena@Campus.TEST ',
  "o'neil+tag@mail.campus.test",
  'a_b-c@x1.co',
  'l@xn--hxt814e.xn--p1ai',
  `${'l'.repeat(64)}@${'c'.repeat(63)}.test`,
])('accepts %j', (email) => {
  expect(byRules(email)).toEqual({ email: email.trim().toLowerCase() });
});

it.each([
  ...['', 'lena', 'lena@', '@campus.test', 'lena@campus', 'le na@campus.test', 'a@b@campus.test', 'a@b.c'],
  ...['.lena@campus.test', 'lena.@campus.test', 'le..na@campus.test', 'lena@campus..test', 'lena@-campus.test'],
  ...['lena@127.0.0.1', 'lena@campus.test\nbcc: all', '"lena"@campus.test', 'lena@[::1]'],
  `${'l'.repeat(EMAIL_MAX)}@campus.test`,
  ...[`${'l'.repeat(65)}@campus.test`, `lena@${'c'.repeat(64)}.test`, 'lena@campus.t'],
])('refuses %j', (email) => {
  expect(byRules(email)).toBeNull();
});

it('agrees with the schema of the server', () => {
  const near = fc.stringMatching(/^[a-zA-Z0-9.@'+_ é-]{0,40}$/);
  const address = fc.tuple(near, near).map(([local, host]) => `${local}@${host}.test`);
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.emailAddress(), near, address), (email) => {
      expect(byRules(email)).toEqual(bySchema(email));
    }),
    { numRuns: 2_000 },
  );
});

it('checks a long text in linear time', () => {
  for (const part of ['a', 'a.', 'a-', '@a', '@a.', 'a@a.a-'])
    expect(EMAIL_ADDRESS.test(part.repeat(50_000))).toBe(false);
});
