import { generateKeyPairSync } from 'node:crypto';
import { expect, it } from 'vitest';
import { canSign, parseKeys, toLibraryKeys } from './keys';

const rsa = (modulusLength = 2_048) =>
  generateKeyPairSync('rsa', { modulusLength }).privateKey.export({ format: 'jwk' });
const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
const edwards = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
const signing = rsa();

it('takes private keys of every algorithm, and says which it signs with', () => {
  const keys = [
    { ...signing, kid: 'a' },
    { ...elliptic, kid: 'b' },
    { ...edwards, kid: 'c', alg: 'EdDSA' },
  ];
  const { value, problems } = parseKeys({ keys }, null);
  expect(problems).toEqual([]);
  for (const algorithm of ['RS256', 'PS256', 'ES256', 'EdDSA'] as const) expect(canSign(value, algorithm)).toBe(true);
  expect(canSign({ ...value, keys: value.keys.slice(1, 2) }, 'RS256')).toBe(false);
});

it.each([
  ['a short key', { ...rsa(1_024), kid: 'b' }],
  ['a public key', { kty: 'RSA', n: signing.n, e: signing.e, kid: 'b' }],
  ['a symmetric key', { kty: 'oct', k: 'AAAAAAAA', kid: 'b' }],
  ['a key without an id', signing],
  ['a key of another algorithm', { ...signing, kid: 'b', alg: 'HS256' }],
  ['a key of an algorithm for another kind', { ...signing, kid: 'b', alg: 'ES256' }],
  ['a key that is a point of no curve', { ...elliptic, kid: 'b', x: elliptic.y, y: elliptic.x }],
  ['a key of the wrong length', { ...edwards, kid: 'b', x: 'AAAA', d: 'AAAA' }],
])('reports %s, while the others go on', (_name, key) => {
  const { value, problems } = parseKeys({ keys: [{ ...signing, kid: 'a' }, key] }, null);
  expect(value.keys.map(({ kid }) => kid)).toEqual(['a']);
  expect(problems).toHaveLength(1);
  expect(JSON.stringify(problems)).not.toContain(signing.d);
});

it('keeps the last valid version of a key', () => {
  const keys = [
    { ...signing, kid: 'a' },
    { ...elliptic, kid: 'b' },
  ];
  const { value: before } = parseKeys({ keys }, null);
  const { value, problems } = parseKeys({ keys: [{ ...signing, kid: 'a', alg: 'ES256' }, null] }, before);
  expect(value.keys).toEqual(before.keys.slice(0, 1));
  expect(problems).toHaveLength(2);
});

it('has the library prefer the same keys: behind one that signs with every algorithm, none has one of its own', () => {
  const keys = [
    { ...signing, kid: 'a', alg: 'PS256' },
    { ...signing, kid: 'b' },
    { ...signing, kid: 'c', alg: 'RS256' },
    { ...edwards, kid: 'd', alg: 'EdDSA' },
  ];
  const { value } = parseKeys({ keys }, null);
  expect(toLibraryKeys(value).map(({ kid, alg }) => [kid, alg])).toEqual([
    ['a', 'PS256'],
    ['b', undefined],
    ['c', undefined],
    ['d', 'EdDSA'],
  ]);
});

it.each([
  [{ keys: [] }, 'no key'],
  [{}, 'JWK Set'],
  [
    {
      keys: [
        { ...signing, kid: 'a' },
        { ...rsa(), kid: 'a' },
      ],
    },
    'two keys',
  ],
])('refuses a file without usable keys', (content, problem) => {
  expect(() => parseKeys(content, null)).toThrow(problem);
});
