import fc from 'fast-check';
import { expect, it } from 'vitest';
import { redact, redactText } from './redaction';

it.each([
  ['https://id.campus.example/actions?mode=verifyEmail&oobCode=SeCrEt1&lang=en', 'SeCrEt1'],
  ['/mobile?code=SeCrEt1', 'SeCrEt1'],
  ['https://id.campus.example/registration/confirm#token=SeCrEt1', 'SeCrEt1'],
  ['/sign-in?email=lena%40campus.test', 'lena'],
  ['could not mail lena.l+x@campus.test today', 'lena'],
  ['Bearer eyJhbGciOiJub25l.eyJzdWIiOiJsZW5hIn0.SeCrEt1', 'SeCrEt1'],
])('%s loses its secret', (text, secret) => {
  expect(redactText(text)).not.toContain(secret);
});

it('keeps what helps', () => {
  expect(redactText('/actions?mode=verifyEmail&oobCode=x&lang=en')).toBe(
    '/actions?mode=verifyEmail&oobCode=[redacted]&lang=en',
  );
  expect(redact({ status: 503, path: '/sign-in', ok: true, nothing: null })).toEqual({
    status: 503,
    path: '/sign-in',
    ok: true,
    nothing: null,
  });
});

it('removes a planted secret wherever it stands under a secret name', () => {
  const name = fc.constantFrom(
    'password',
    'oobCode',
    'token',
    'customToken',
    'cookie',
    'Cookies',
    'Authorization',
    'email',
    'id_token',
  );
  const where = fc.array(fc.stringMatching(/^[a-z]{1,8}$/), { maxLength: 5 });
  fc.assert(
    fc.property(name, where, (secretName, path) => {
      const planted = path.reduceRight<unknown>((inner, key) => ({ [key]: [inner] }), { [secretName]: 'pLaNtEd' });
      expect(JSON.stringify(redact(planted))).not.toContain('pLaNtEd');
    }),
  );
});

it('survives any value', () => {
  fc.assert(fc.property(fc.object({ maxDepth: 4 }), (value) => void redact(value)));
});
