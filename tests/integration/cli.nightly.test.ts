// The image's tool in its real form: one file in a separate folder, with only Node.js.
import { createHmac, hkdfSync, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { describe, expect, inject, test } from 'vitest';
import { describeDatabase } from '@/cli/announce';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { chooseRecords } from '@/lib/server/storage/records/engines';
import { readWebhook } from '../../examples/express/webhooks.mjs';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { hasRedis, startRedis } from '../../scripts/lib/services.mjs';
import { SECRETS, useCli } from '../support/cli';
import { openSession, post } from '../support/client';
import { mailsTo } from '../support/mail';
import { serveRoutes } from '../support/routes';
import { createTestUser, fetchIdToken } from '../support/test-users';
import {
  startWebhookReceiver,
  useWebhooksFile,
  WEBHOOK_SECRET,
  writeReceivers,
  writeWebhookSecret,
} from '../support/webhook-receiver';

const { dir, cli, runDoctor } = useCli();

describe('help', () => {
  test.each(['doctor', 'explain', 'import', 'delete', 'events', 'account-hash'])(
    '%s says its exit codes',
    async (name) => {
      const { code, stdout } = await cli([name, '--help'], { LOG_LEVEL: 'an invalid configuration' });
      expect(code).toBe(0);
      expect(stdout).toContain(`node cli ${name} `);
      expect(stdout).toMatch(/^Exit codes: 0 /m);
    },
  );

  test.each([
    [['constructor'], /no command constructor/],
    [['explain'], /Name at least one address/],
    [['import'], /Name the file/],
    [['import', 'a.csv', 'b.csv'], /one file of users/],
    [['import', 'package.json', '--hash', 'ROT13'], /Unknown hash algorithm/],
    [['import', 'package.json', '--hash', 'HMAC_SHA256'], /HMAC_SHA256 needs: IMPORT_HASH_KEY/],
    [['import', 'package.json', '--hash', 'SHA1'], /SHA1 needs: --rounds/],
    [['import', 'package.json', '--encoding', 'rot13'], /Unknown encoding/],
    [['delete'], /Name one account/],
    [['delete', 'a', 'b'], /Name one account/],
    [['delete', 'a'.repeat(129)], /at most 128/],
    [['events'], /Name one account/],
    [['events', 'a', 'b'], /Name one account/],
    [['account-hash', 'lena@campus.test'], /not its email/],
    [['doctor', '--fix'], /--fix/],
  ])('wrong usage ends with 2: %j', async (args, words) => {
    const { code, stderr } = await cli(args);
    expect([code, stderr]).toEqual([2, expect.stringMatching(words)]);
  });
});

test.each([
  [['explain', 'https://a.example/\u001b[2J\u009b'], 0],
  [['\u001b[2J'], 2],
  [['explain', '--\u001b[2J'], 2],
  [['import', '/nowhere/\u001b[2J.csv'], 1],
])('what is echoed controls no terminal: %j', async (args, expected) => {
  const { code, stdout, stderr } = await cli(args);
  expect([code, stdout + stderr]).toEqual([expected, expect.stringContaining('\\u001b[2J')]);
  expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
});

test('account-hash prints the documented HMAC, by the present secret first', async () => {
  const hashes = SECRETS.map((secret) => {
    const key = new Uint8Array(hkdfSync('sha256', Buffer.from(secret, 'base64'), '', 'log/account', 32));
    return createHmac('sha256', key).update('lena').digest('hex').slice(0, 16);
  });
  expect(await cli(['account-hash', 'lena'])).toEqual({ code: 0, stdout: `${hashes.join('\n')}\n`, stderr: '' });
});

const DATABASE = describeDatabase(chooseRecords({ ...process.env, SESSION_BACKEND: 'firebase' }));
const announced = () =>
  `Accounts: the emulator at ${inject('emulatorHost')}, project demo-campus\nDatabase: ${DATABASE}\n`;

test.each([
  ['import', 'people.csv'],
  ['delete', 'lena', '--yes'],
  ['events', 'lena'],
  ['second-factor-off', 'lena'],
])('%s refuses accounts that are elsewhere', async (...args) => {
  const elsewhere = { SESSION_BACKEND: 'upstream', UPSTREAM_IDENTITY_URL: 'https://id.campus.example' };
  const { code, stdout, stderr } = await cli(args, elsewhere);
  expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(/^SESSION_BACKEND is upstream: /)]);
});

describe('delete', () => {
  const exists = (uid: string) =>
    getIdentityAdmin()
      .getUser(uid)
      .then(
        () => true,
        () => false,
      );

  test.each(['email', 'uid'] as const)('by %s, after a dry run, and again', async (name) => {
    const user = await createTestUser();
    const given = name === 'email' ? ` ${user.email.toUpperCase()}` : user.uid;
    const dry = await cli(['delete', given]);
    expect(dry).toMatchObject({ code: 0, stderr: announced() });
    expect(dry.stdout).toMatch(
      new RegExp(`^Would delete account ${user.uid} .*password.* Nothing was deleted: add --yes\\.\n$`),
    );
    expect(dry.stdout).not.toContain('@');
    expect(await exists(user.uid)).toBe(true);

    const deleted = await cli(['delete', given, '--yes']);
    expect([deleted.code, deleted.stdout]).toEqual([0, expect.stringContaining('Done: ')]);
    expect(deleted.stdout).not.toContain('@');
    expect(await exists(user.uid)).toBe(false);
    const again = await cli(['delete', given, '--yes']);
    expect(again).toEqual({
      code: 0,
      stdout: 'There is no such account: nothing to delete.\n',
      stderr: announced(),
    });
  });

  test('ends the sessions of the account', async () => {
    const user = await createTestUser();
    const app = await serveRoutes();
    const cookie = await openSession(app.origin, await fetchIdToken(user));
    expect((await cli(['delete', user.uid, '--yes'])).code).toBe(0);
    // This is the first check of the session, so no earlier result is cached.
    const answer = await post(`${app.origin}/api/check-auth-status`, { cookie });
    expect([answer.status, answer.body?.code]).toEqual([401, 'user-deleted']);
    await app.close();
  });

  test('fails with 1 when the identity provider is away', async () => {
    const [port = 0] = await freePorts(1);
    const away = await cli(['delete', 'lena', '--yes'], { FIREBASE_AUTH_EMULATOR_HOST: `localhost:${port}` });
    expect([away.code, away.stdout]).toEqual([1, '']);
    expect(away.stderr).toMatch(/provider-unavailable/);
  });

  test('asks for the id when one account has the email, and another one has it as its id', async () => {
    const user = await createTestUser();
    await getIdentityAdmin().createUser({ uid: user.email });
    const { code, stdout, stderr } = await cli(['delete', user.email, '--yes']);
    expect([code, stdout, stderr]).toEqual([
      1,
      '',
      expect.stringContaining(`the email of account ${user.uid}, and the id`),
    ]);
    expect((await cli(['delete', user.uid, '--yes'])).code).toBe(0);
    expect(await exists(user.email)).toBe(true);
    expect((await cli(['delete', user.email, '--yes'])).code).toBe(0);
    expect(await exists(user.email)).toBe(false);
  });
});

describe('doctor', () => {
  test('reports every problem of the configuration in one pass, and never a secret', async () => {
    const file = path.join(dir, 'origins.json');
    writeFileSync(file, '{ "origins": {');
    const broken = { LOG_LEVEL: 'loud', SMTP_URL: 'SeCrEt1', ORIGINS_FILE: file, DIRECTORY_FILE: '/nowhere.json' };
    const { ok, get, findings } = await runDoctor(broken);
    rmSync(file);
    expect(ok).toBe(false);
    expect(get('configuration')?.detail).toMatch(/LOG_LEVEL: .*; .*SMTP_URL: |SMTP_URL: .*; .*LOG_LEVEL: /);
    expect(get('ORIGINS_FILE')).toMatchObject({
      state: 'does not work',
      detail: expect.stringContaining('not JSON') as string,
    });
    expect(get('DIRECTORY_FILE')).toMatchObject({
      state: 'does not work',
      detail: expect.stringContaining('does not exist') as string,
    });
    for (const what of ['clock', 'passkeys', 'upstream identity API'])
      expect(get(what)?.state, what).toBe('could not be checked');
    expect(JSON.stringify(findings)).not.toContain('SeCrEt1');
  });

  test('tells what works from what could not be read, and what to do', async () => {
    const { get } = await runDoctor();
    expect(get('configuration')?.state).toBe('works');
    expect(get('Firebase credentials')?.state).toBe('works');
    expect(get('clock')).toMatchObject({ state: 'works', detail: expect.stringMatching(/^\d\.\d s /) as string });
    expect(get('email')).toMatchObject({ state: 'works', detail: expect.stringContaining('EHLO') as string });
    expect(get('Redis')?.state).toBe('not configured');
    // The emulator has no such setting, which must not count as "ok".
    for (const what of ['authorized domains', 'sign-in providers', 'blocking functions'])
      expect(get(what), what).toMatchObject({
        state: 'could not be checked',
        detail: expect.stringContaining('the emulator: ') as string,
        action: 'Nothing for a trial. With a Firebase project, run the doctor again',
      });
  });

  test('reads the settings of the project', async () => {
    const url = `http://${inject('emulatorHost')}/identitytoolkit.googleapis.com/v2/projects/demo-campus/config`;
    const protect = (enableImprovedEmailPrivacy: boolean) =>
      fetch(`${url}?updateMask=emailPrivacyConfig`, {
        method: 'PATCH',
        headers: { authorization: 'Bearer owner', 'content-type': 'application/json' },
        body: JSON.stringify({ emailPrivacyConfig: { enableImprovedEmailPrivacy } }),
      });
    await protect(true);
    expect((await runDoctor()).get('email enumeration protection')?.state).toBe('works');
    await protect(false);
    // The emulator's settings mean nothing for a project.
    expect((await runDoctor()).get('email enumeration protection')).toEqual({
      what: 'email enumeration protection',
      state: 'could not be checked',
      detail: 'the emulator: is off: the public API reveals which addresses have an account',
      action: 'Nothing for a trial. With a Firebase project, run the doctor again',
    });
  });

  test('sends a test email', async () => {
    const to = `${randomUUID()}@campus.test`;
    const { get } = await runDoctor({}, ['--send-to', to]);
    expect(get('email')).toMatchObject({ state: 'works', detail: expect.stringContaining('was accepted') as string });
    expect(await mailsTo({ mailboxUrl: inject('mailboxUrl') }, to)).toHaveLength(1);
  });

  test('says that a mail server of another machine may get emails without encryption', async () => {
    // This address reaches this machine, but is not one of its own names.
    const SMTP_URL = inject('smtpUrl').replace(/127\.0\.0\.1|localhost/, '0.0.0.0');
    expect((await runDoctor({ SMTP_URL })).get('email')).toMatchObject({
      state: 'works',
      detail: 'connected, EHLO accepted, without authentication, encryption not required, sender no-reply@campus.test',
      action: expect.stringContaining('?requireTLS=true') as string,
    });
  });

  test('tries each receiver of webhooks, and says which entry is wrong, without its secret', async () => {
    const receiver = await startWebhookReceiver();
    receiver.verify();
    const WEBHOOKS_FILE = useWebhooksFile();
    const secretFile = writeWebhookSecret('grades', WEBHOOK_SECRET);
    const grades = { url: receiver.url, secretFile, events: ['session.ended'] };
    const other = writeWebhookSecret('library', `whsec_${Buffer.alloc(32, 'another').toString('base64')}`);
    const library = { ...grades, secretFile: other };
    writeReceivers({ grades, library, broken: { ...grades, url: 'http://grades.example/' } });
    const { get, findings } = await runDoctor({ WEBHOOKS_FILE }, ['--send-webhook']);
    expect(get('webhook grades')).toMatchObject({ state: 'works', action: null });
    expect(get('webhook library')?.detail).toBe('refused an event with our signature (HTTP 400)');
    expect(get('webhook broken')?.detail).toContain('its entry is invalid');
    expect(get('webhook')?.detail).toContain('A receiver of webhooks is invalid: url must be an https address');
    expect(JSON.stringify(findings)).not.toContain(WEBHOOK_SECRET.slice(6));
    await receiver.stop();
  });

  test('says that the file of the receivers is missing, and nothing is deleted without it: no receiver would be told', async () => {
    const WEBHOOKS_FILE = path.join(dir, 'absent.json');
    const { get } = await runDoctor({ WEBHOOKS_FILE });
    expect(get('webhook')).toMatchObject({
      state: 'does not work',
      detail: expect.stringContaining('does not exist') as string,
    });
    const { uid } = await createTestUser();
    const { code, stderr } = await cli(['delete', uid, '--yes'], { WEBHOOKS_FILE });
    expect([code, stderr]).toEqual([1, expect.stringContaining('WEBHOOKS_FILE')]);
    expect((await getIdentityAdmin().getUser(uid)).uid).toBe(uid);
  });

  test('sends webhooks that the receiver must refuse, and on request one that it must accept', async () => {
    const receiver = await startWebhookReceiver();
    const check = async (...args: string[]) => {
      const { get } = await runDoctor({ WEBHOOK_URL: receiver.url, WEBHOOK_SECRET }, args);
      return get('webhook');
    };
    expect((await runDoctor()).get('webhook')?.state).toBe('not configured');
    expect(await check()).toMatchObject({
      state: 'does not work',
      detail: 'accepted an event with a wrong signature (HTTP 204)',
    });
    receiver.answer(404);
    expect(await check()).toMatchObject({ state: 'does not work', detail: 'answered HTTP 404 to an event' });
    receiver.answer(400);
    expect((await check())?.state).toBe('works');
    expect(await check('--send-webhook')).toMatchObject({
      state: 'does not work',
      detail: 'refused an event with our signature (HTTP 400)',
    });
    const isSigned = receiver.received.map(({ headers, body }) => {
      expect(JSON.parse(body)).toMatchObject({ type: 'webhook.test', data: {} });
      return readWebhook(headers, body, { secret: WEBHOOK_SECRET, isKnown: () => false });
    });
    const results = (await Promise.all(isSigned)).map((event) => typeof event === 'object');
    expect(results).toEqual([false, false, false, false, true]);
    receiver.verify();
    expect(await check('--send-webhook')).toMatchObject({ state: 'works', action: null });
    await receiver.stop();
    expect(await check()).toMatchObject({ state: 'does not work', detail: 'no response: ECONNREFUSED' });
  });

  test('says which services are away', async () => {
    const [redis = 0, smtp = 0, emulator = 0] = await freePorts(3);
    const { ok, get } = await runDoctor({
      REDIS_URL: `redis://:SeCrEt1@127.0.0.1:${redis}`,
      SMTP_URL: `smtp://lena:SeCrEt1@127.0.0.1:${smtp}`,
      FIREBASE_AUTH_EMULATOR_HOST: `localhost:${emulator}`,
    });
    expect(ok).toBe(false);
    for (const what of ['Redis', 'email', 'Firebase credentials'])
      expect(get(what), what).toMatchObject({
        state: 'does not work',
        detail: expect.stringContaining('ECONNREFUSED') as string,
      });
    expect(get('Firebase credentials')?.action).toBe(
      'Check FIREBASE_AUTH_EMULATOR_HOST, and that the emulator runs there',
    );
    for (const what of ['clock', 'blocking functions']) expect(get(what)?.state, what).toBe('could not be checked');
  });

  test('goes on when a check ends with an error', async () => {
    const { get } = await runDoctor({ SMTP_URL: 'smtp://mail%20host:25' });
    expect(get('email')).toMatchObject({ state: 'does not work', detail: 'Invalid URL' });
    expect(get('Firebase credentials')?.state).toBe('works');
  });

  test.skipIf(!hasRedis())('writes to Redis: one that only answers keeps no state', async () => {
    const [port = 0, primary = 0] = await freePorts(2);
    const redis = await startRedis({ port, dir: mkdtempSync(path.join(os.tmpdir(), 'cli-redis-')) });
    const admin = new Redis(port);
    const check = async (user = '') =>
      (await runDoctor({ REDIS_URL: `redis://${user}127.0.0.1:${port}` })).get('Redis');
    expect((await check())?.state).toBe('works');
    const refused = (reason: string) => ({
      state: 'does not work',
      detail: expect.stringContaining(reason) as string,
    });
    await admin.acl('SETUSER', 'reader', 'on', '>secret', '~*', '+@read', '+@connection', '+info');
    expect(await check('reader:secret@')).toMatchObject(refused('NOPERM'));
    await admin.config('SET', 'maxmemory', '1');
    expect(await check()).toMatchObject(refused('OOM'));
    await admin.config('SET', 'maxmemory', '0');
    await admin.replicaof('127.0.0.1', primary);
    expect(await check()).toMatchObject(refused('READONLY'));
    admin.disconnect();
    await redis.stop();
  });

  test('prints a table in words', async () => {
    const { stdout } = await cli(['doctor']);
    expect(stdout).toMatch(/^configuration +works +every variable is valid$/m);
    expect(stdout).toMatch(/^Redis +not configured +state is in the memory of each process\n +→ Set REDIS_URL/m);
  });
});
