import { createHmac, pbkdf2Sync, randomBytes, scryptSync } from 'node:crypto';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { text } from 'node:stream/consumers';
import { bundlePrograms } from '../../scripts/lib/bundle.mjs';
import { codeIn } from '../support/mail';
import { fetchIdToken } from '../support/test-users';
import { NEW_PASSWORD, oobCodeIn, Recovery } from '../support/recovery';

const PASSWORD = 'correct-horse-7';
const KEY = Buffer.from('a-signing-key-of-some-length');
const recovery = new Recovery();
const dir = mkdtempSync(path.join(os.tmpdir(), 'import-'));
beforeAll(() => bundlePrograms(dir));

async function importFile(rows: object[], args: string[] = [], env: Record<string, string> = {}): Promise<void> {
  const file = path.join(dir, `${randomBytes(6).toString('hex')}.json`);
  writeFileSync(file, JSON.stringify(rows));
  const script = spawn(process.execPath, [path.join(dir, 'cli'), 'import', file, ...args], {
    env: { ...process.env, ...env },
  });
  const [, said] = await Promise.all([once(script, 'close'), text(script.stdout)]);
  expect([script.exitCode, said]).toEqual([0, expect.stringContaining(`${rows.length} imported`)]);
}

test('an imported user without a password sets one with the code or link of a reset, and signs in', async () => {
  for (const way of ['code', 'link']) {
    const email = `${way}-${randomBytes(6).toString('hex')}@campus.test`;
    await importFile([{ email }]);
    expect((await recovery.ask(email)).status).toBe(200);
    const mail = await recovery.lastMail(1, email);
    const done = way === 'code' ? await recovery.reset(codeIn(mail)) : await recovery.resetByLink(oobCodeIn(mail));
    expect(done.status).toBe(200);
    expect(await fetchIdToken({ email, password: NEW_PASSWORD })).toEqual(expect.any(String));
  }
});

/**
 * The emulator stores the hashes of an import but can verify only its own format. So this test compares the request to
 * the identity provider with the result of each documented hash algorithm for the password.
 */
test.each([
  [
    'PBKDF2_SHA256',
    ['--rounds', '1000'],
    (salt: Buffer) => pbkdf2Sync(PASSWORD, salt, 1_000, 32, 'sha256'),
    { rounds: 1_000 },
  ],
  [
    'HMAC_SHA256',
    [],
    (salt: Buffer) =>
      createHmac('sha256', KEY)
        .update(Buffer.concat([Buffer.from(PASSWORD), salt]))
        .digest(),
    { signerKey: webSafe(KEY) },
  ],
  [
    'STANDARD_SCRYPT',
    ['--memory-cost', '1024', '--block-size', '8', '--parallelization', '1', '--derived-key-length', '64'],
    (salt: Buffer) => scryptSync(PASSWORD, salt, 64, { N: 1_024, r: 8, p: 1 }),
    { cpuMemCost: 1_024, blockSize: 8, parallelization: 1, dkLen: 64 },
  ],
] as const)('hashes are imported unchanged, with their parameters: %s', async (algorithm, args, hash, parameters) => {
  const [salt, provider] = [randomBytes(16), await startProvider()];
  for (const encoding of ['base64', 'hex'] as const) {
    const row = {
      email: `${encoding}@campus.test`,
      passwordHash: hash(salt).toString(encoding),
      passwordSalt: salt.toString(encoding),
    };
    const env = { FIREBASE_AUTH_EMULATOR_HOST: provider.host, IMPORT_HASH_KEY: KEY.toString('base64') };
    await importFile([row], ['--hash', algorithm, '--encoding', encoding, ...args], env);
    expect(provider.asked.at(-1)).toMatchObject({
      hashAlgorithm: algorithm,
      ...parameters,
      users: [{ email: row.email, passwordHash: webSafe(hash(salt)), salt: webSafe(salt) }],
    });
  }
  await provider.stop();
});

function webSafe(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_');
}

/** Starts a provider that records its requests and has no users. */
async function startProvider() {
  const asked: unknown[] = [];
  const server = createServer((req, res) => {
    void text(req).then((body) => {
      if (req.url?.includes('batchCreate')) asked.push(JSON.parse(body));
      res.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { asked, host, stop: () => once(server.close(), 'close') };
}
