import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, utimesSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { checkOpenId } from './openid';

const dir = mkdtempSync(path.join(os.tmpdir(), 'doctor-openid-'));
let version = 0;
/** Each with a time of its own: it is read again. */
function write(name: string, content: string): string {
  const file = path.join(dir, name);
  writeFileSync(file, content);
  version += 1;
  utimesSync(file, version, version);
  return file;
}
const secretFile = write('secret', 's'.repeat(40));
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const key = { ...privateKey.export({ format: 'jwk' }), kid: 'first' };
const good = { name: 'Lakeside School', redirectUris: ['https://moodle.lakeside.example/callback'], secretFile };
const writeClient = (client: object) => write('clients.json', JSON.stringify({ clients: { school: client } }));

beforeEach(() => {
  vi.stubEnv('FIREBASE_AUTH_EMULATOR_HOST', 'localhost:9099');
  vi.stubEnv('TOKEN_ENCRYPTION_SECRET', Buffer.alloc(32, 'doctor').toString('base64'));
  vi.stubEnv('OIDC_CLIENTS_FILE', writeClient(good));
  vi.stubEnv('OIDC_KEYS_FILE', write('keys.json', JSON.stringify({ keys: [key] })));
});
afterAll(() => void vi.unstubAllEnvs());

test('clients with valid addresses, secrets and keys work', async () => {
  expect(await checkOpenId()).toMatchObject({ state: 'works', action: null });
});

test.each<[string, () => unknown, RegExp]>([
  [
    'an address by http',
    () => writeClient({ ...good, redirectUris: ['http://moodle.example/'] }),
    /redirectUris.*school/,
  ],
  ['a short secret', () => writeClient({ ...good, secretFile: write('short', 'short') }), /secretFile.*school/],
  [
    'a secret that is not there',
    () => writeClient({ ...good, secretFile: path.join(dir, 'none') }),
    /secretFile.*school/,
  ],
  ['an algorithm without a key', () => writeClient({ ...good, algorithm: 'ES256' }), /school.*ES256/],
  [
    'a broken key',
    () => write('keys.json', JSON.stringify({ keys: [key, { kty: 'RSA', kid: 'x' }] })),
    /OIDC_KEYS_FILE/,
  ],
  ['a file of keys that is no JSON', () => write('keys.json', '{'), /OIDC_KEYS_FILE/],
])('%s is found', async (_what, breakIt, detail) => {
  breakIt();
  const found = await checkOpenId();
  expect([found.state, found.detail]).toEqual(['does not work', expect.stringMatching(detail)]);
  // Neither the secret nor a part of the key.
  expect(found.detail).not.toMatch(/s{20}|"d"/);
});
