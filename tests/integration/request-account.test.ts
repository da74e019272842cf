import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { hashAccount } from '@/lib/server/runtime/observability/request-context';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { beginSignIn, codeFrom, exchangeCode } from '../../examples/mobile/client.mjs';
import { CookieJar, nextSecond, openSession, post } from '../support/client';
import { codeIn, mailsTo, wrongCode } from '../support/mail';
import { authorizeMobileApp } from '../support/mobile-app';
import { startRoutesProcess, type RoutesProcess } from '../support/served-routes';
import { createTestUser, fetchIdToken } from '../support/test-users';

let app: RoutesProcess;
beforeAll(async () => {
  app = await startRoutesProcess({ LOG_LEVEL: 'info' });
});
afterAll(() => app.stop());

/** Expects the result and account in the last log line of a route. Null means no account. */
async function expectLastLine(route: string, result: string, uid: string | null, rule?: string): Promise<void> {
  await vi.waitFor(
    () => {
      const lines = readFileSync(app.logFile, 'utf8')
        .split('\n')
        .filter((line) => line.includes(`"route":"${route}"`));
      expect(JSON.parse(lines.at(-1) ?? '{}')).toMatchObject({
        result,
        ...(rule !== undefined && { rule }),
        ...(uid !== null && { account: hashAccount(uid) }),
      });
      expect(lines.at(-1)?.includes('"account":')).toBe(uid !== null);
    },
    { timeout: 60_000, interval: 100 },
  );
}

const lastCode = async (email: string) =>
  codeIn((await mailsTo({ mailboxUrl: inject('mailboxUrl') }, email)).at(-1) ?? { text: '' });

test('lines of the mobile sign-in name the account', async () => {
  const user = await createTestUser();
  const session = await openSession(app.origin, await fetchIdToken(user));
  await expectLastLine('/api/create-user-session', 'ok', user.uid);
  const begun = beginSignIn({ appOrigin: app.origin });
  const answer = await authorizeMobileApp(app.origin, begun.address, session);
  expect(answer.status).toBe(200);
  await expectLastLine('/api/mobile/authorize', 'ok', user.uid);
  const code = codeFrom(String(answer.body?.address), begun);
  await exchangeCode({ appOrigin: app.origin, code, verifier: begun.verifier });
  await expectLastLine('/api/mobile/token', 'ok', user.uid);
});

test('lines of a session that ends name the account', async () => {
  const user = await createTestUser();
  const cookie = await openSession(app.origin, await fetchIdToken(user));
  expect((await post(`${app.origin}/api/auto-sign-in`, { cookie })).status).toBe(200);
  await expectLastLine('/api/auto-sign-in', 'ok', user.uid);
  expect((await post(`${app.origin}/api/initiate-logout`, { cookie })).status).toBe(200);
  await expectLastLine('/api/initiate-logout', 'ok', user.uid);
});

test('the line of a refused session names the rule that refused it', async () => {
  const user = await createTestUser();
  const cookie = await openSession(app.origin, await fetchIdToken(user));
  await nextSecond();
  await getIdentityAdmin().revokeRefreshTokens(user.uid);
  const refused = await post(`${app.origin}/api/auto-sign-in`, { cookie });
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([401, expect.not.stringContaining('revoked-since')]);
  await expectLastLine('/api/auto-sign-in', 'token-revoked', null, 'revoked-since-proof');
});

test('the line of a registration names no account, and that of its code the new one', async () => {
  const jar = new CookieJar();
  const email = `${randomUUID()}@campus.test`;
  expect(
    (await jar.post(`${app.origin}/api/registration`, { name: 'Mia', email, password: 'quiet-lantern-42' })).status,
  ).toBe(200);
  // The response is sent before the account is known.
  await expectLastLine('/api/registration', 'ok', null);
  const code = await lastCode(email);
  expect((await jar.post(`${app.origin}/api/registration/confirm`, { code })).status).toBe(200);
  const { uid } = await getIdentityAdmin().getUserByEmail(email);
  await expectLastLine('/api/registration/confirm', 'ok', uid);
});

test('lines of a password reset name the account once its code was typed, and not before', async () => {
  const jar = new CookieJar();
  const user = await createTestUser();
  await jar.post(`${app.origin}/api/password-reset`, { email: user.email });
  await expectLastLine('/api/password-reset', 'ok', null);
  const code = await lastCode(user.email);
  const confirm = (typed: string) =>
    jar.post(`${app.origin}/api/password-reset/confirm`, { code: typed, password: 'quiet-lantern-43' });
  await confirm(wrongCode(code));
  await expectLastLine('/api/password-reset/confirm', 'code-wrong', null);
  expect((await confirm(code)).status).toBe(200);
  await expectLastLine('/api/password-reset/confirm', 'ok', user.uid);
});
