import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, utimesSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { jwtVerify } from 'jose';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { listen } from '@/tests/support/listen';
import { checkOpenId } from './openid';

const dir = mkdtempSync(path.join(os.tmpdir(), 'doctor-openid-'));
let version = 0;
/** Each write sets a different modification time, because the app reads a file again only after a change. */
function write(name: string, content: string): string {
  const file = path.join(dir, name);
  writeFileSync(file, content);
  version += 1;
  utimesSync(file, version, version);
  return file;
}
const secretFile = write('secret', 's'.repeat(40));
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
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
  const detail = 'no problems, and these clients: school';
  expect(await checkOpenId(false)).toMatchObject([{ state: 'works', detail, action: null }]);
});

test('a file without a client that is turned on works, and the finding says so', async () => {
  writeClient({ ...good, enabled: false });
  expect(await checkOpenId(false)).toMatchObject([{ state: 'works', detail: 'no problems, and no client yet' }]);
});

test('a secret that products encode wrong works, and is noted', async () => {
  writeClient({ ...good, secretFile: write('fragile', 'a+b/'.repeat(10)) });
  const [found] = await checkOpenId(false);
  expect(found).toMatchObject({ state: 'works', detail: expect.stringContaining('openssl rand -hex 32') as unknown });
  expect(found?.detail).toContain('school');
});

describe('with --send-logout, a receiver', () => {
  /** Verifies the token's signature with the published key, as a client's library does. */
  const isSigned = async (req: IncomingMessage) => {
    const token = new URLSearchParams(await text(req)).get('logout_token') ?? '';
    const { payload, protectedHeader } = await jwtVerify(token, publicKey, { audience: 'school' });
    return payload.sid !== undefined && protectedHeader.typ === 'logout+jwt';
  };
  const check = async (answer: (isOurs: boolean) => number) => {
    const seen: boolean[] = [];
    const server = await listen((req, res) => {
      void isSigned(req)
        .catch(() => false)
        .then((isOurs) => {
          seen.push(isOurs);
          res.writeHead(answer(isOurs)).end();
        });
    });
    writeClient({ ...good, backchannelLogoutUri: `http://localhost:${String(server.port)}/logout` });
    const [, found] = await checkOpenId(true);
    await server.stop();
    return { found, seen };
  };

  test.each<[string, (isOurs: boolean) => number, string, RegExp, boolean[]]>([
    ['that verifies', (isOurs) => (isOurs ? 200 : 400), 'works', /accepts ours \(HTTP 200\)/, [false, true]],
    ['that has no such session', (isOurs) => (isOurs ? 404 : 400), 'works', /accepts ours \(HTTP 404\)/, [false, true]],
    ['that accepts anything', () => 200, 'does not work', /does not verify them/, [false]],
    ['that is not there', () => 404, 'does not work', /HTTP 404/, [false]],
    ['that redirects', () => 302, 'does not work', /HTTP 302/, [false]],
    ['that refuses all', () => 400, 'could not be checked', /and ours \(HTTP 400\)/, [false, true]],
  ])('%s is found', async (_what, answer, state, detail, expected) => {
    const { found, seen } = await check(answer);
    expect([found?.what, found?.state, found?.detail]).toEqual([
      'logout at school',
      state,
      expect.stringMatching(detail),
    ]);
    expect(seen).toEqual(expected);
  });

  test('that does not listen is found, and nothing is sent without the option', async () => {
    const server = await listen(() => undefined);
    await server.stop();
    writeClient({ ...good, backchannelLogoutUri: `http://localhost:${String(server.port)}/logout` });
    expect(await checkOpenId(true)).toMatchObject([
      {},
      { state: 'does not work', detail: 'no response: ECONNREFUSED' },
    ]);
    expect(await checkOpenId(false)).toHaveLength(1);
  });
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
  const [found] = await checkOpenId(true);
  expect([found?.state, found?.detail]).toEqual(['does not work', expect.stringMatching(detail)]);
  // The output contains neither the secret nor a part of the key.
  expect(found?.detail).not.toMatch(/s{20}|"d"/);
});
