// ASVS: 6.4.3, 6.3.3, 7.4.3
// Threats: stolen-session, factor-skipped, remembered-browser-stolen
// What happens between the proof of a mailbox and the sign-in that follows it.
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { beforeEach, expect, test } from 'vitest';
import { resetPasswordByLink } from '@/lib/server/accounts/own-account';
import { signInByCode, signInByLink } from '@/lib/server/accounts/emailed-sign-in';
import { resetPassword } from '@/lib/server/accounts/recovery';
import { changeAccountWithSessions, changeProvedEmail, readStored } from '@/lib/server/identity';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { PROVED_ADDRESS_CLAIM } from '@/lib/server/policy/account';
import { toSessionRequest } from '@/lib/server/session/request';
import type { SessionRequest } from '@/lib/server/session/types';
import { withAccountLock } from '@/lib/server/storage';
import { cookieTable } from '@/lib/shared/cookie-table';
import { nextSecond, type CookieJar } from '../support/client';
import { emailAfter, readEmail } from '../support/mailbox-owner';
import { configureOrigin, serveRemembered } from '../support/remembered-browser';
import { identities } from '../support/remembered-browser-ways';
import { idTokenByCustomToken } from '../support/test-users';

const app = serveRemembered();
const { call, newBrowser, expectCode } = app;
beforeEach(() => configureOrigin(identities));

const PASSWORD = 'quiet-lantern-42';

/** Reads an email of the test's user that a call of a browser sends. */
async function receive(browser: CookieJar, path: 'email-link' | 'password-reset') {
  const { email } = app.user;
  let flow = '';
  const mail = await emailAfter(email, async () => {
    const answer = await call(browser, path, { email });
    flow = String(answer.body?.flow);
    return answer;
  });
  return { flow, ...readEmail(mail) };
}

type Proof = (session: SessionRequest) => Promise<{ customToken?: string; cookies?: readonly string[] }>;
/** Ways to prove the mailbox. Each result is prepared, so that a test decides what happens after the proof. */
const WAYS: Record<string, (browser: CookieJar) => Promise<Proof>> = {
  'a sign-in code': async (browser) => {
    const { flow, code = '' } = await receive(browser, 'email-link');
    const token = browser.cookies[`${cookieTable.signInCode.name}-${flow}`];
    return async (session) => ({ customToken: await signInByCode({ token, code }, await context(session), session) });
  },
  'a sign-in link': async (browser) => {
    const { oobCode } = await receive(browser, 'email-link');
    const link = { code: oobCode ?? '', email: app.user.email };
    return async (session) => ({ customToken: await signInByLink(link, await context(session), session) });
  },
  'a reset code': async (browser) => {
    const { flow, code = '' } = await receive(browser, 'password-reset');
    const token = browser.cookies[`${cookieTable.passwordReset.name}-${flow}`];
    const values = { token, code, password: PASSWORD };
    return async (session) => resetPassword(values, await context(session), session);
  },
  'a reset link': async (browser) => {
    const { oobCode } = await receive(browser, 'password-reset');
    const values = { oobCode: oobCode ?? '', password: PASSWORD };
    return async (session) => (await resetPasswordByLink(values, await context(session), session)).signIn;
  },
};
const context = async (session: SessionRequest) => ({ ...(await session.emailContext()), callback: undefined });

/** A request whose work after the proof waits for something else. */
function requestWith(then: () => Promise<unknown>): SessionRequest {
  const request = toSessionRequest(Object.assign(new IncomingMessage(new Socket()), { cookies: {} }));
  return {
    ...request,
    secondFactorRule: async () => {
      await then();
      return request.secondFactorRule();
    },
  };
}

const REVOCATIONS: Record<string, () => Promise<unknown>> = {
  'its owner ends all sessions': () => changeAccountWithSessions(app.user.uid, { revoke: 'sign-out-everywhere' }),
  'its email changes': () =>
    withAccountLock(app.user.uid, async (locked) => {
      const user = await readStored(app.user.uid);
      if (user !== null) await changeProvedEmail(locked, user, `moved-${app.user.email}`);
    }),
};
const cases = Object.keys(WAYS).flatMap((way) => Object.keys(REVOCATIONS).map((what) => [way, what] as const));

test.each(cases)('%s opens no session if %s right after the proof', async (way, what) => {
  const { uid, email } = app.user;
  await getIdentityAdmin().setCustomUserClaims(uid, { [PROVED_ADDRESS_CLAIM]: email });
  await nextSecond();
  const prove = await WAYS[way]?.(newBrowser('phone'));
  const done = await prove?.(
    requestWith(async () => {
      await nextSecond();
      await REVOCATIONS[what]?.();
      await nextSecond();
    }),
  );
  const token = await idTokenByCustomToken(String(done?.customToken));
  expectCode(await app.open(newBrowser('phone'), token), 401, 'token-revoked');
});

test.each(Object.keys(WAYS))('a second factor that waits after %s ends with all sessions', async (way) => {
  const { codeAt } = await app.enrol();
  await nextSecond();
  const prove = await WAYS[way]?.(newBrowser('phone'));
  const session = requestWith(async () => {
    await nextSecond();
    await changeAccountWithSessions(app.user.uid, { revoke: 'sign-out-everywhere' });
  });
  const done = await prove?.(session).catch(({ options }: { options: { cookies: readonly string[] } }) => options);
  const [, secret = ''] = /pending-sign-in=([^;]+)/.exec(done?.cookies?.[0] ?? '') ?? [];
  expect(secret).not.toBe('');
  const browser = newBrowser('phone');
  browser.cookies[cookieTable.pendingSignIn.name] = secret;
  expectCode(await app.show(browser, { code: codeAt() }), 410, 'sign-in-expired');
});

test.each(['password-reset/confirm', 'actions/reset-password'])(
  'a reset in a remembered browser makes no token before the second factor: %s',
  async (path) => {
    const phone = await app.remember(await app.enrol());
    const { flow, code, oobCode } = await receive(phone, 'password-reset');
    const given = path === 'actions/reset-password' ? { oobCode } : { flow, code };
    const answer = await call(phone, path, { ...given, password: PASSWORD });
    expect([answer.status, answer.body]).toEqual([200, { step: 'second-factor-required' }]);
  },
);
