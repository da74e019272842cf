// Threats: code-leak
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { redact, redactAddress, redactJson, redactText } from './redact';

const SECRET = 'SeCrEt1';

it.each([
  'https://id.campus.example/actions?mode=verifyEmail&oobCode=SeCrEt1&lang=en',
  '/mobile?code=SeCrEt1',
  'oobCode=SeCrEt1&mode=signIn',
  'failed with token=SeCrEt1',
  '/sign-in?redirect_uri=https%3A%2F%2Flearn.campus.example%2Fx%3Ftoken%3DSeCrEt1%26a%3D1',
  '/sign-in?next=%252Factions%253Fmode%253Dx%2526oobCode%253DSeCrEt1',
  '/x?continueUrl=https%3A%2F%2Flearn.campus.example%2F%23SeCrEt1',
  'https://id.campus.example/registration/confirm#token=SeCrEt1',
  'campus://oauth-callback?code=SeCrEt1&state=SeCrEt1',
  'campus://oauth-callback#SeCrEt1',
  '/sign-in?email=SeCrEt1%40campus.test',
  '/sign-in?who=SeCrEt1%2540campus.test',
  'could not mail SeCrEt1.l+x@campus.test today',
  'Bearer eyJhbGciOiJub25l.eyJzdWIiOiJsZW5hIn0.SeCrEt1',
  'authorization: Bearer SeCrEt1',
  'cookie: a=b; _secure-user-session=SeCrEt1; c=d',
  '{"set-cookie":"x=SeCrEt1"}',
  '{"name":"Lena","password":"SeCrEt1"}',
  '{"password": "with \\"SeCrEt1\\" in quotes","x":1}',
  JSON.stringify({ body: JSON.stringify({ Password: 'a " SeCrEt1', code: 'SeCrEt1' }) }),
  '{"token":"SeCrEt1 cut off he',
])('%s loses its secret', (text) => {
  expect(redactText(text)).not.toContain(SECRET);
});

it('keeps harmless text', () => {
  expect(redactText('/actions?mode=verifyEmail&oobCode=x&lang=en')).toBe(
    '/actions?mode=verifyEmail&oobCode=[redacted]&lang=en',
  );
  const fine = { status: 503, path: '/sign-in', ok: true, nothing: null, css: 'a{color:#fff;b:url(/x.svg)}' };
  expect(redact(fine)).toEqual(fine);
  const sent = { note: 'utm', email: 'a@b.test' };
  expect(redact(sent, { kept: new Set(['email']) })).toEqual(sent);
});

it('removes secret members of JSON in a text, and keeps the others', () => {
  const body = { name: 'Lena', password: SECRET, nested: JSON.stringify({ code: SECRET, kept: 'x' }), last: 1 };
  const read = JSON.parse(redactText(JSON.stringify(body))) as typeof body;
  expect({ ...read, nested: JSON.parse(read.nested) as unknown }).toEqual({
    name: 'Lena',
    password: '[redacted]',
    nested: { code: '[redacted]', kept: 'x' },
    last: 1,
  });
});

it('keeps JSON valid', () => {
  const text = JSON.stringify({ href: 'https://x.test/a?code=SeCrEt1', inner: JSON.stringify({ to: '/b#SeCrEt1' }) });
  const read = JSON.parse(redactText(text)) as { inner: string };
  expect([redactText(text).includes(SECRET), JSON.parse(read.inner)]).toEqual([false, { to: '/b' }]);
});

it('removes credentials and fragments from URLs', () => {
  expect(redactAddress('https://lena:SeCrEt1@x.test/a?b=c#SeCrEt1')).toBe('https://x.test/a?b=c');
});

const secretName = fc.constantFrom(
  ...['password', 'oobCode', 'token', 'customToken', 'cookie', 'Cookies', 'Authorization', 'email', 'id_token', 'code'],
  ...['http.request.header.cookie.who', 'http.response.header.set_cookie', 'header.authorization'],
);
const words = fc.array(fc.stringMatching(/^[a-z]{1,8}$/), { maxLength: 5 });

it('removes a secret under a secret name at any place', () => {
  fc.assert(
    fc.property(secretName, words, (name, path) => {
      const planted = path.reduceRight<unknown>((inner, key) => ({ [key]: [inner] }), { [name]: SECRET });
      expect(JSON.stringify(redact(planted))).not.toContain(SECRET);
    }),
  );
});

it('removes a secret from any URL, however often it is encoded', () => {
  const parameter = fc.constantFrom('oobCode', 'code', 'token', 'customToken', 'email', 'id_token', 'state');
  const planted = fc.stringMatching(/^QQ[A-Za-z0-9_.~-]{6,20}QQ$/);
  fc.assert(
    fc.property(parameter, planted, words, fc.nat(3), (name, secret, around, times) => {
      const before = around.map((word) => `${word}=1&`).join('');
      let address = `https://id.campus.example/${around.join('/')}?${before}${name}=${secret}&lang=en`;
      for (let i = 0; i < times; i += 1) address = `https://x.test/y?to=${encodeURIComponent(address)}`;
      expect(JSON.stringify(redact({ deep: [{ text: `opened ${address} just now` }] }))).not.toContain(secret);
    }),
  );
});

it('accepts any value, circular ones included', () => {
  fc.assert(fc.property(fc.object({ maxDepth: 4 }), (value) => JSON.stringify(redact(value)) !== undefined));
  const ring: Record<string, unknown> = {};
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) ring[name] = ring;
  expect(() => JSON.stringify(redact(ring))).not.toThrow();
});

it('reads errors, and replaces live objects by their name', () => {
  const cause = new Error('cause token=SeCrEt1');
  const read = redact({ error: new Error('oops SeCrEt1@campus.test', { cause }), map: new Map(), run: () => SECRET });
  expect(JSON.stringify(read)).not.toContain(SECRET);
  expect(read).toMatchObject({ error: { name: 'Error', message: 'oops [redacted]' }, map: '[Map]', run: '[function]' });
});

it('removes the private members of a key, also as the cause of an error, and keeps such names elsewhere', () => {
  const secret = { d: SECRET, p: SECRET, q: SECRET, dp: SECRET, dq: SECRET, qi: SECRET, k: SECRET, oth: [SECRET] };
  const cause = { kty: 'RSA', kid: 'first', n: 'public', ...secret };
  const read = redact({ error: new Error('of no use', { cause }), d: 'day', k: 'value' });
  expect(JSON.stringify(read)).not.toContain(SECRET);
  expect(read).toMatchObject({ error: { cause: { kid: 'first', n: 'public' } }, d: 'day', k: 'value' });
});

it('redacts JSON of any depth', () => {
  const deep = Array.from({ length: 40 }).reduce<unknown>((inner) => ({ childNodes: [inner] }), {
    href: 'https://x.test/actions?oobCode=SeCrEt1',
    cookie: 'a=SeCrEt1',
  });
  const text = redactJson(JSON.stringify(deep));
  expect(text).not.toContain(SECRET);
  expect(text).toContain('https://x.test/actions?oobCode=[redacted]');
  expect(() => redactJson('nothing')).toThrow(SyntaxError);
});
