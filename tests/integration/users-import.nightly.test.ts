import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { beforeAll, expect, inject, test } from 'vitest';
import { HASH_ALGORITHMS } from '@/lib/server/accounts/import/import-users';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { bundlePrograms } from '../../scripts/lib/bundle.mjs';
import { createTestUser } from '../support/test-users';

const dir = mkdtempSync(path.join(os.tmpdir(), 'import-'));
const HASH = Buffer.alloc(32, 'hash').toString('base64');
const HEAD = 'uid,email,displayName,emailVerified,passwordHash,passwordSalt,createdAt';

// The image's bundled tool starts in a fraction of the script's time, because the script loads its source.
beforeAll(() => bundlePrograms(dir));

const run = (...args: string[]) => runProgram(process.execPath, path.join(dir, 'cli'), 'import', ...args);

const runProgram = (program: string, ...args: string[]) =>
  new Promise<{ status: number; text: string }>((resolve) => {
    execFile(program, args, (error, stdout, stderr) =>
      resolve({ status: error ? Number(error.code) : 0, text: stdout + stderr }),
    );
  });

function outcomesIn(report: string): unknown[] {
  const lines = readFileSync(report, 'utf8').trim().split('\n');
  return lines
    .map((line) => JSON.parse(line) as { line: number; outcome: string })
    .map((one) => [one.line, one.outcome]);
}

test('users are imported once, with hashes and legacy claim, and an aborted run resumes', async () => {
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

  const trial = await run(...settings, '--dry-run');
  expect(trial.text).toContain('Would be done: 1 imported, 1 there already, 1 wrong, 0 failed');
  expect(trial.text).toContain('line 4: wrong: email: is no email address');
  await expect(getIdentityAdmin().getUser('old-1')).rejects.toMatchObject({ code: 'auth/user-not-found' });

  const first = await run(...settings);
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

  // The corrected file has a new user at the top, so every line has another number.
  const corrected = [
    'old-0,zero@campus.test,Zero,true,,,',
    lines[1],
    lines[2],
    'old-3,three@campus.test,Three,true,,,',
  ];
  writeFileSync(file, [HEAD, ...corrected].join('\n'));
  const second = await run(...settings);
  expect(second.text).toContain('Done: 2 imported, 0 there already, 0 wrong, 0 failed; 2 done by an earlier run');
  expect(second.status).toBe(0);
  expect((await getIdentityAdmin().getUser('old-3')).email).toBe('three@campus.test');
  expect((await getIdentityAdmin().getUser('old-0')).email).toBe('zero@campus.test');
});

test('JSON works too, with more users than one batch holds', async () => {
  const file = path.join(dir, 'people.json');
  const accounts = Array.from({ length: 1_050 }, (_, i) => ({ email: `batch-${i}@campus.test` }));
  writeFileSync(file, JSON.stringify(accounts));
  expect((await run(file, '--not-legacy')).text).toContain('Done: 1050 imported, 0 there already, 0 wrong, 0 failed');
  expect((await run(file, '--report', path.join(dir, 'again.jsonl'))).text).toContain('0 imported, 1050 there already');
  expect((await getIdentityAdmin().getUserByEmail('batch-1049@campus.test')).customClaims).toBeUndefined();
});

test('a line that cannot be read does not end the import', async () => {
  const file = path.join(dir, 'ragged.csv');
  const lines = [
    'good-1,good.1@campus.test,One',
    'x,ragged@campus.test',
    'y,open@campus.test,"Open',
    'good-2,good.2@campus.test,Two',
  ];
  writeFileSync(file, ['uid,email,displayName', ...lines].join('\n'));
  const { status, text } = await run(file);
  expect([status, text]).toEqual([1, expect.stringContaining('Done: 2 imported, 0 there already, 2 wrong, 0 failed')]);
  expect(text).toContain('line 3: wrong: it has 2 columns instead of 3');
  expect(text).toContain('line 4: wrong: a quote is not closed');
  expect(text).toContain('Without a password: 2');
  expect(text).not.toMatch(/^ +at /m);
  expect((await getIdentityAdmin().getUser('good-2')).email).toBe('good.2@campus.test');
});

const newFile = (users: number, name = randomUUID()) => {
  const file = path.join(dir, `${name}.csv`);
  const rows = Array.from({ length: users }, (_, i) => `${name}-${String(i)}@campus.test`);
  writeFileSync(file, ['email', ...rows].join('\n'));
  return { file, report: `${file}.report.jsonl` };
};

test('a report that a full disk has cut off is continued', async () => {
  const { file, report } = newFile(200);
  // The kernel refuses the rest of a write over the limit, like on a full disk.
  const limited = `ulimit -f 8; exec "$0" "$@"`;
  const full = await runProgram('sh', '-c', limited, process.execPath, path.join(dir, 'cli'), 'import', file);
  expect(full.status).toBe(1);
  expect(full.text).toContain(`The report ${report} cannot be written: the file would be larger than`);
  expect(readFileSync(report, 'utf8').at(-1)).not.toBe('\n');
  const again = await run(file);
  expect([again.status, again.text]).toEqual([
    0,
    expect.stringMatching(/Done: 0 imported, \d+ there already, 0 wrong, 0 failed; \d+ done by an earlier run/),
  ]);
  expect(outcomesIn(report)).toHaveLength(200);
  expect((await run(file)).text).toContain(
    'Done: 0 imported, 0 there already, 0 wrong, 0 failed; 200 done by an earlier run',
  );
});

test('what a dry run reports is not done, and a dry run leaves the report of an import as it is', async () => {
  const { file } = newFile(3);
  const report = path.join(dir, `${randomUUID()}.jsonl`);
  const trial = await run(file, '--report', report, '--dry-run');
  expect(trial.text).toContain('Would be done: 3 imported');
  const first = await run(file, '--report', report);
  expect([first.status, first.text]).toEqual([0, expect.stringContaining('Done: 3 imported')]);
  expect(first.text).toContain(`Accounts: the emulator at ${inject('emulatorHost')}, project demo-campus\n`);
  expect(outcomesIn(report)).toHaveLength(3);
  const before = readFileSync(report, 'utf8');
  expect(await run(file, '--report', report, '--dry-run')).toMatchObject({
    status: 1,
    text: expect.stringContaining(`${report} is the report of an import`) as string,
  });
  expect(readFileSync(report, 'utf8')).toBe(before);
  expect((await run(file, '--report', report)).text).toContain('3 done by an earlier run');
});

test('what was imported with a wrong parameter is not done', async () => {
  const uid = randomUUID();
  const file = path.join(dir, `${uid}.csv`);
  writeFileSync(file, `uid,email,passwordHash\n${uid},${uid}@campus.test,${HASH}\n`);
  const settings = [file, '--hash', 'PBKDF2_SHA256', '--rounds'];
  expect((await run(...settings, '1000')).text).toContain('Done: 1 imported');
  expect((await run(...settings, '1000')).text).toContain('1 done by an earlier run');
  await getIdentityAdmin().deleteUser(uid);
  expect((await run(...settings, '2000')).text).toContain('Done: 1 imported');
});

test('a user that occurs twice in a file is wrong, by id or email', async () => {
  const [one, other] = [randomUUID(), randomUUID()];
  const file = path.join(dir, `${one}.csv`);
  const lines = [
    `${one},${one}@campus.test`,
    `${one},another@campus.test`,
    `,${other}@campus.test`,
    `,${other}@campus.test`,
  ];
  writeFileSync(file, ['uid,email', ...lines].join('\n'));
  await run(file);
  const outcomes = ['imported', 'wrong', 'imported', 'wrong'];
  expect(outcomesIn(`${file}.report.jsonl`)).toEqual(outcomes.map((outcome, i) => [i + 2, outcome]));
});

test('a report of many users is read in a memory that does not hold it several times', async () => {
  const { file, report } = newFile(1);
  const content = () => randomUUID().replaceAll('-', '');
  const entry = (line: number) =>
    JSON.stringify({ line, outcome: 'imported', uid: `legacy-${line}`, content: content() });
  writeFileSync(report, Array.from({ length: 400_000 }, (_, i) => `${entry(i)}\n`).join(''));
  const { status, text } = await runProgram(
    process.execPath,
    '--max-old-space-size=128',
    ...[path.join(dir, 'cli'), 'import', file],
  );
  expect([status, text]).toEqual([0, expect.stringContaining('Done: 1 imported')]);
});

test.skipIf(!existsSync('/dev/full'))('a full disk is said in a sentence', async () => {
  const { status, text } = await run(newFile(1).file, '--report', '/dev/full');
  expect([status, text]).toEqual([
    1,
    expect.stringContaining('The report /dev/full cannot be written: the disk is full.'),
  ]);
  expect(text).not.toContain('ENOSPC');
});

test('a line in the middle of the report that cannot be read is named, and the report is left as it is', async () => {
  const { file, report } = newFile(3);
  await run(file);
  const [first = '', second = '', ...rest] = readFileSync(report, 'utf8').split('\n');
  const broken = [first, second.slice(0, 20), ...rest].join('\n');
  writeFileSync(report, broken);
  const { status, text } = await run(file);
  expect([status, text]).toEqual([1, expect.stringContaining(`${report}, line 2 cannot be read. Delete this line`)]);
  expect(readFileSync(report, 'utf8')).toBe(broken);
  writeFileSync(report, [first, ...rest].join('\n'));
  expect((await run(file)).text).toContain('0 imported, 1 there already, 0 wrong, 0 failed; 2 done by an earlier run');
});

test.each(['{"origins":{}}', '{"origins":{}}\n', '{\n  "origins": {}\n}\n', 'a,b\n', '{"line":1}\n', '[1]'])(
  'a file that is not a report is refused and left as it is: %j',
  async (content) => {
    const { file } = newFile(1);
    const other = path.join(dir, 'origins.json');
    writeFileSync(other, content);
    for (const more of [[], ['--dry-run']]) {
      expect(await run(file, '--report', other, ...more)).toMatchObject({
        status: 1,
        text: expect.stringContaining(`${other}, line 1 `) as string,
      });
      expect(readFileSync(other, 'utf8')).toBe(content);
    }
  },
);

test('the file of users is refused as its own report, also by another name', async () => {
  const file = path.join(dir, 'self.json');
  writeFileSync(file, '[]');
  symlinkSync(file, path.join(dir, 'other-name.json'));
  for (const report of [file, path.join(dir, 'other-name.json')])
    expect(await run(file, '--report', report)).toMatchObject({
      status: 1,
      text: expect.stringContaining('is the file of users') as string,
    });
  expect(readFileSync(file, 'utf8')).toBe('[]');
});

test.each([
  [['/nowhere/people.csv'], '/nowhere/people.csv cannot be read: there is no such file'],
  [[os.tmpdir()], `${os.tmpdir()} cannot be read: it is a folder`],
  [['package.json', '--report', os.tmpdir()], `${os.tmpdir()} cannot be used: it is a folder`],
])('a file that cannot be used is said in words: %j', async (args, words) => {
  const { status, text } = await run(...args);
  expect([status, text]).toEqual([1, expect.stringContaining(words)]);
  expect(text).not.toMatch(/\bE[A-Z]{4,}\b/);
});

test.each([
  ['mistyped.csv', 'email,password_hash\nmistyped@campus.test,x', 'is it passwordHash?'],
  ['mistyped.json', '[{ "email": "mistyped@campus.test", "password_hash": "x" }]', 'is it passwordHash?'],
  ['empty.csv', '', 'contains no users'],
  ['header.csv', HEAD, 'contains no users'],
  ['empty.json', '[]', 'contains no users'],
  [
    'escape.csv',
    'email,"\u001b]0;x\u0007\ny"\nmistyped@campus.test,x',
    'The column \\u001b]0;x\\u0007\\u000ay is unknown',
  ],
  ['broken.json', '[{ "email": "mistyped@campus.test" ', 'is not JSON'],
])('%s imports no user, and says why', async (name, content, reason) => {
  const file = path.join(dir, name);
  writeFileSync(file, content);
  const { status, text } = await run(file);
  expect([status, text]).toEqual([1, expect.stringContaining(reason)]);
  expect(text).not.toMatch(/@|[\u0000-\u0009\u000b-\u001f]/);
  await expect(getIdentityAdmin().getUserByEmail('mistyped@campus.test')).rejects.toMatchObject({
    code: 'auth/user-not-found',
  });
});

test('reports what is missing', async () => {
  const file = path.join(dir, 'hashes.csv');
  writeFileSync(file, `${HEAD}\n,a@campus.test,,,${HASH},,`);
  expect((await run(file, '--hash', 'SCRYPT')).text).toContain(
    'SCRYPT needs: IMPORT_HASH_KEY (a variable, in base64), --salt-separator, --rounds, --memory-cost',
  );
  expect((await run(file)).text).toContain('0 imported, 0 there already, 1 wrong');
  expect((await run(file, '--encoding', 'rot13')).text).toContain('Unknown encoding. Supported: base64, hex, utf8');
  const help = (await runProgram(process.execPath, 'scripts/users-import.mjs')).text;
  expect(help).toContain('npm run users:import');
  for (const algorithm of HASH_ALGORITHMS) expect(help).toMatch(new RegExp(`\\b${algorithm}\\b`));
});
