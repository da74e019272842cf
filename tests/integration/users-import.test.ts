import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ALGORITHMS } from '@/lib/server/user-import/hash';
import { getIdentityAdmin } from '@/lib/server/identity-provider/admin';
import { createTestUser } from '../support/test-users';

const dir = mkdtempSync(path.join(os.tmpdir(), 'import-'));
const HASH = Buffer.alloc(32, 'hash').toString('base64');
const HEAD = 'uid,email,displayName,emailVerified,passwordHash,passwordSalt,createdAt';

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/users-import.mjs', ...args], { encoding: 'utf8' }); // prettier-ignore
  return { status, text: stdout + stderr };
}

function outcomesIn(report: string): unknown[] {
  const lines = readFileSync(report, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as { line: number; outcome: string }).map((one) => [one.line, one.outcome]); // prettier-ignore
}

test(
  'users are imported once, with hashes and legacy claim, and an aborted run resumes',
  { timeout: 60_000 },
  async () => {
    const there = await createTestUser();
    const file = path.join(dir, 'people.csv');
    const report = `${file}.report.jsonl`;
    const lines = [
      HEAD,
      `old-1,Old.One@campus.test,"One, Old",true,${HASH},c2FsdA==,2019-05-04`,
      `old-2,${there.email},Another User,true,,,`,
      'old-3,no address,Three,true,,,',
    ];
    writeFileSync(file, lines.join('\n'));
    const settings = [file, '--hash', 'PBKDF2_SHA256', '--rounds', '1000'];

    const trial = run(...settings, '--dry-run');
    expect(trial.text).toContain('Would be done: 1 imported, 1 there already, 1 wrong, 0 failed');
    await expect(getIdentityAdmin().getUser('old-1')).rejects.toMatchObject({ code: 'auth/user-not-found' });

    const first = run(...settings);
    expect(first.text).toContain('Done: 1 imported, 1 there already, 1 wrong, 0 failed');
    expect(first.status).toBe(1);
    expect(outcomesIn(report)).toEqual([
      [2, 'imported'],
      [3, 'present'],
      [4, 'wrong'],
    ]);
    expect(readFileSync(report, 'utf8')).not.toContain('@');
    const { users } = await getIdentityAdmin().listUsers();
    expect(users.find(({ uid }) => uid === 'old-1')).toMatchObject({
      email: 'old.one@campus.test',
      displayName: 'One, Old',
      emailVerified: true,
      customClaims: { legacy: true },
      passwordHash: HASH,
      metadata: { creationTime: 'Sat, 04 May 2019 00:00:00 GMT' },
    });
    expect((await getIdentityAdmin().getUser(there.uid)).displayName).not.toBe('Another User');

    // Corrected, and with a new user above: every line is another one than before.
    const corrected = [
      'old-0,zero@campus.test,Zero,true,,,',
      lines[1],
      lines[2],
      'old-3,three@campus.test,Three,true,,,',
    ];
    writeFileSync(file, [HEAD, ...corrected].join('\n'));
    const second = run(...settings);
    expect(second.text).toContain('Done: 2 imported, 0 there already, 0 wrong, 0 failed; 2 done by an earlier run');
    expect(second.status).toBe(0);
    expect((await getIdentityAdmin().getUser('old-3')).email).toBe('three@campus.test');
    expect((await getIdentityAdmin().getUser('old-0')).email).toBe('zero@campus.test');
  },
);

test('JSON works too, with more users than one batch holds', { timeout: 60_000 }, async () => {
  const file = path.join(dir, 'people.json');
  const accounts = Array.from({ length: 1_050 }, (_, i) => ({ email: `batch-${i}@campus.test` }));
  writeFileSync(file, JSON.stringify(accounts));
  expect(run(file, '--not-legacy').text).toContain('Done: 1050 imported, 0 there already, 0 wrong, 0 failed');
  expect(run(file, '--report', path.join(dir, 'again.jsonl')).text).toContain('0 imported, 1050 there already');
  expect((await getIdentityAdmin().getUserByEmail('batch-1049@campus.test')).customClaims).toBeUndefined();
});

test('a line that cannot be read does not end the import', { timeout: 60_000 }, async () => {
  const file = path.join(dir, 'ragged.csv');
  const lines = ['good-1,good.1@campus.test,One', 'x,ragged@campus.test', 'y,open@campus.test,"Open', 'good-2,good.2@campus.test,Two']; // prettier-ignore
  writeFileSync(file, ['uid,email,displayName', ...lines].join('\n'));
  const { status, text } = run(file);
  expect([status, text]).toEqual([1, expect.stringContaining('Done: 2 imported, 0 there already, 2 wrong, 0 failed')]);
  expect(text).toContain('line 3: wrong: it has 2 columns instead of 3');
  expect(text).toContain('line 4: wrong: a quote is not closed');
  expect(text).toContain('Without a password: 2');
  expect(text).not.toMatch(/^ +at /m);
  expect((await getIdentityAdmin().getUser('good-2')).email).toBe('good.2@campus.test');
});

test.each([
  ['mistyped.csv', 'email,password_hash\nmistyped@campus.test,x', 'is it passwordHash?'],
  ['mistyped.json', '[{ "email": "mistyped@campus.test", "password_hash": "x" }]', 'is it passwordHash?'],
  ['empty.csv', '', 'contains no users'],
  ['header.csv', HEAD, 'contains no users'],
  ['empty.json', '[]', 'contains no users'],
  ['broken.json', '[{ "email": "mistyped@campus.test" ', 'is not JSON'],
])('%s imports no user, and says why', async (name, content, reason) => {
  const file = path.join(dir, name);
  writeFileSync(file, content);
  const { status, text } = run(file);
  expect([status, text]).toEqual([1, expect.stringContaining(reason)]);
  expect(text).not.toContain('@');
  await expect(getIdentityAdmin().getUserByEmail('mistyped@campus.test')).rejects.toMatchObject({
    code: 'auth/user-not-found',
  });
});

test('reports what is missing', () => {
  const file = path.join(dir, 'hashes.csv');
  writeFileSync(file, `${HEAD}\n,a@campus.test,,,${HASH},,`);
  expect(run(file, '--hash', 'SCRYPT').text).toContain('SCRYPT needs: key, saltSeparator, rounds, memoryCost');
  expect(run(file).text).toContain('0 imported, 0 there already, 1 wrong');
  expect(run(file, '--encoding', 'rot13').text).toContain('Unknown encoding. Supported: base64, hex, utf8');
  const help = run().text;
  expect(help).toContain('npm run users:import');
  for (const algorithm of ALGORITHMS) expect(help).toMatch(new RegExp(`\\b${algorithm}\\b`));
});
