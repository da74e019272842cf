// Threats: operator-token-abused
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { migrateRecords } from '@/lib/server/storage/records/engines';
import { digestAddress } from '@/lib/server/storage/records/sent-emails';
import { prepareCli } from '../support/cli';
import { hasPostgres, startEmptyDatabases } from '../support/databases';
import { linksIn, mailsTo } from '../support/mail';
import { createTestUser, type TestUser } from '../support/test-users';

const REASON = 'Ticket 4711';
const AS_ADA = ['--by', 'ada', '--reason', REASON];

describe.skipIf(!hasPostgres)('node cli account', () => {
  const databases = startEmptyDatabases();
  afterAll(() => databases.stop());
  let cli: Awaited<ReturnType<typeof prepareCli>>;
  let url = '';
  beforeAll(async () => {
    cli = await prepareCli();
    ({ url } = await databases.create());
    await migrateRecords({ kind: 'postgres', url });
  });

  const query = async (text: string, values: unknown[] = []) => {
    const { default: pg } = await import('pg');
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(text, values)).rows;
    } finally {
      await client.end();
    }
  };
  const account = (what: string, name: string, ...more: string[]) =>
    cli.run(['account', what, name, ...AS_ADA, ...more], { DATABASE_URL: url });
  const readJson = async (what: string, name: string, ...more: string[]) => {
    const { code, stdout, stderr } = await account(what, name, ...more);
    expect([code, stderr]).toEqual([0, expect.stringContaining('Database: PostgreSQL')]);
    expect(stdout).not.toMatch(/passwordHash|oobCode|sealedKey/);
    return JSON.parse(stdout) as Record<string, unknown>;
  };

  test('finds an account by its email, and the owner can read who looked and why', async () => {
    const { uid, email } = await createTestUser({ emailVerified: false });
    const found = await readJson('find', email.toUpperCase());
    expect(found).toMatchObject({
      uid,
      state: [{ rule: 'unverified-email' }],
      signInMethods: [{ method: 'password' }],
    });
    expect(await query('select kind, operator, reason from events where uid = $1', [uid])).toEqual([
      { kind: 'support-viewed', operator: 'cli:ada', reason: REASON },
    ]);
  });

  test('tells why a sign-in was refused, what was emailed, and why a session ended', async () => {
    const { uid, email } = await createTestUser();
    await account('find', uid);
    await query(
      `insert into events (id, uid, kind, at, rule, method) values ($1, $2, 'refused', now() - interval '1 hour', 'disabled-account', 'password')`,
      [randomUUID(), uid],
    );
    expect((await account('send-reset', uid, '--yes')).code).toBe(0);
    const [mail] = await mailsTo({ mailboxUrl: inject('mailboxUrl') }, email);
    expect(linksIn(mail ?? { text: '' })[0]).toContain('mode=resetPassword');
    const { code, stdout } = await account('why', uid);
    expect(code).toBe(0);
    const lines = stdout.trim().split('\n');
    expect(lines[0]).toMatch(/^\d{4}-\d\d-\d\dT\S+Z {2}refused, rule disabled-account, password$/);
    expect(stdout).toContain('support-emailed, by cli:ada');
    expect(stdout).toMatch(/email support-reset sent, 250/);
    expect((await readJson('emails', uid)).emails).toMatchObject([{ kind: 'support-reset', result: 'sent' }]);
    expect((await readJson('sessions', uid)).sessions).toEqual([]);
  });

  test('lists what was sent to an address without an account', async () => {
    const email = `${randomUUID()}@campus.test`;
    const find = () => account('find', email);
    expect([(await find()).code, (await find()).stderr]).toEqual([
      1,
      expect.stringContaining('There is no such account'),
    ]);
    await query(
      `insert into sent_emails (id, uid, address_digest, kind, message_id, result, answer, at)
       values ($1, null, $2, 'confirm', $3, 'refused', '550 No such user', now())`,
      [randomUUID(), digestAddress(email)[0], randomUUID()],
    );
    expect(await readJson('emails', email)).toMatchObject({
      uid: null,
      emails: [{ kind: 'confirm', result: 'refused' }],
    });
    expect((await find()).stderr).toContain('"emails" lists them');
  });

  test('changes an account with --yes only, and once', async () => {
    const { uid } = await createTestUser();
    const isDisabled = async () => (await getIdentityAdmin().getUser(uid)).disabled;
    const dry = await account('disable', uid);
    expect([dry.code, dry.stdout]).toEqual([0, `Possible for account ${uid}. Nothing was changed: add --yes.\n`]);
    expect(await isDisabled()).toBe(false);
    expect(await readJson('disable', uid, '--yes')).toMatchObject({ action: 'disable', uid });
    expect(await isDisabled()).toBe(true);
    const again = await account('disable', uid, '--yes');
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('The account is disabled already')]);
    expect((await account('disable', uid)).stdout).toBe('Not possible: The account is disabled already.\n');
    expect(await readJson('enable', uid, '--yes')).toMatchObject({ action: 'enable' });
    expect(await isDisabled()).toBe(false);
    expect(await query(`select kind from jobs where uid = $1`, [uid])).toEqual([
      { kind: 'support-change' },
      { kind: 'support-change' },
    ]);
  });

  test('moves accounts to other emails, one or a file of them', async () => {
    const people = [await createTestUser(), await createTestUser(), await createTestUser({ emailVerified: false })];
    const [first, second, unconfirmed] = people as [TestUser, TestUser, TestUser];
    const newEmail = () => `${randomUUID()}@campus.test`;
    const readEmail = async ({ uid }: TestUser) => (await getIdentityAdmin().getUser(uid)).email;
    const to = newEmail();
    const dry = await account('move', first.email, to);
    expect([dry.code, dry.stdout]).toEqual([
      0,
      `account ${first.uid} can get the email ${to}\nNothing was changed: add --yes.\n`,
    ]);
    expect(await readEmail(first)).toBe(first.email);
    const done = await account('move', first.email, to.toUpperCase(), '--yes');
    expect([done.code, done.stdout]).toEqual([0, `account ${first.uid} now has the email ${to}\n`]);
    expect(await readEmail(first)).toBe(to);

    const file = path.join(cli.dir, 'pairs.csv');
    const [back, other] = [newEmail(), newEmail()];
    const rows = [
      `${to},${back}`,
      `${unconfirmed.email},${other}`,
      `${second.email},no email`,
      `${second.uid},${other}`,
    ];
    writeFileSync(file, ['from,to', ...rows, ''].join('\r\n'));
    const moveFile = (...more: string[]) =>
      cli.run(['account', 'move', '--file', file, ...AS_ADA, ...more], { DATABASE_URL: url });
    const all = await moveFile('--yes');
    expect([all.code, all.stdout]).toEqual([
      1,
      `line 2: account ${first.uid} now has the email ${back}\nline 5: account ${second.uid} now has the email ${other}\n`,
    ]);
    expect(all.stderr).toContain(`line 3: ${unconfirmed.email}: `);
    expect(all.stderr).toContain('never confirmed');
    expect(all.stderr).toContain('no email is no email address');
    expect(await Promise.all(people.map(readEmail))).toEqual([back, other, unconfirmed.email]);
    expect((await moveFile()).stderr).toContain('There is no such account');
    const wrong = [
      ['move', first.uid],
      ['move', first.uid, to, 'more'],
      ['disable', first.uid, '--file', file],
    ];
    for (const args of wrong)
      expect((await cli.run(['account', ...args, ...AS_ADA], { DATABASE_URL: url })).code, args.join(' ')).toBe(2);
    writeFileSync(file, 'old,new\na@campus.test,b@campus.test\n');
    expect([(await moveFile()).code, (await moveFile()).stderr]).toEqual([
      2,
      expect.stringContaining('the columns "from" and "to"'),
    ]);
  });

  test('exports the data, and deletes with a receipt', async () => {
    const { uid, email } = await createTestUser();
    expect(await readJson('export', email)).toMatchObject({
      account: { email },
      records: { events: [{ operator: 'cli:ada' }] },
    });
    expect(await readJson('delete', email, '--yes')).toMatchObject({ uid, emailed: true });
    expect(await query('select uid from accounts where uid = $1', [uid])).toEqual([]);
    const again = await account('delete', uid, '--yes');
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('There is no such account')]);
  });

  test.each([
    ['no reason', ['disable', 'lena', '--by', 'ada']],
    ['a reason of two lines', ['disable', 'lena', '--reason', 'one\ntwo']],
    ['an unknown action', ['set-password', 'lena', ...AS_ADA]],
    ['no action', []],
    ['no account', ['find', ...AS_ADA]],
    ['a name of an operator with spaces', ['find', 'lena', '--by', 'ada b']],
  ])('%s is wrong usage', async (_name, args) => {
    const { code, stderr } = await cli.run(['account', ...args], { DATABASE_URL: url });
    expect([code, stderr]).toEqual([2, expect.stringContaining('Exit codes')]);
  });
});
