import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ALGORITHMS } from '@/lib/server/user-import/hash';
import { getIdentityAdmin } from '@/lib/server/identity-provider/admin';
import { createTestUser } from '../support/test-users';

const dir = mkdtempSync(path.join(os.tmpdir(), 'import-'));
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
      'old-1,Old.One@campus.test,"One, Old",true,aGFzaA==,c2FsdA==,2019-05-04',
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
      passwordHash: 'aGFzaA==',
      metadata: { creationTime: 'Sat, 04 May 2019 00:00:00 GMT' },
    });
    expect((await getIdentityAdmin().getUser(there.uid)).displayName).not.toBe('Another User');

    writeFileSync(file, [...lines.slice(0, 3), 'old-3,three@campus.test,Three,true,,,'].join('\n'));
    const second = run(...settings);
    expect(second.text).toMatch(/Going on after 2 lines[^]*Done: 1 imported, 0 there already, 0 wrong, 0 failed/);
    expect(second.status).toBe(0);
    expect((await getIdentityAdmin().getUser('old-3')).email).toBe('three@campus.test');
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

test('reports what is missing', () => {
  const file = path.join(dir, 'hashes.csv');
  writeFileSync(file, `${HEAD}\n,a@campus.test,,,aGFzaA==,,`);
  expect(run(file, '--hash', 'SCRYPT').text).toContain('SCRYPT needs: key, saltSeparator, rounds, memoryCost');
  expect(run(file).text).toContain('0 imported, 0 there already, 1 wrong');
  expect(run(file, '--encoding', 'rot13').text).toContain('Unknown encoding. Supported: base64, hex, utf8');
  const help = run().text;
  expect(help).toContain('npm run users:import');
  for (const algorithm of ALGORITHMS) expect(help).toMatch(new RegExp(`\\b${algorithm}\\b`));
});
