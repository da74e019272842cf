// ASVS: 7.4.3
// Threats: email-change-abused, mobile-code, custom-token
// What a session has passed on before its account got another email, or its former email back. For clients of OpenID
// Connect, see openid-logout.nightly.test.ts.
import { randomUUID } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { sealEmailUndoLink } from '@/lib/server/codes/links';
import { getRecords } from '@/lib/server/storage/records';
import { emailChanges } from '@/lib/server/storage/records/schema';
import { eq } from 'drizzle-orm';
import { beginSignIn, codeFrom, exchangeCode } from '../../examples/mobile/client.mjs';
import { nextSecond, UNHURRIED, type CookieJar } from '../support/client';
import { codeIn } from '../support/mail';
import { emailAfter } from '../support/mailbox-owner';
import { authorizeMobileApp } from '../support/mobile-app';
import { serveSessions, SESSION } from '../support/session-app';
import { idTokenByCustomToken } from '../support/test-users';

process.env.TRUSTED_PROXY_HOPS = '1';
const app = serveSessions();
vi.setConfig(UNHURRIED);

async function signIn(agent?: 'laptop' | 'phone') {
  const browser = app.newBrowser(agent);
  await app.signIn(browser);
  await nextSecond();
  return browser;
}

/** Gets a code for the mobile app in a browser. @returns a function that exchanges it */
async function authorize(browser: CookieJar) {
  const request = beginSignIn({ appOrigin: app.origin });
  const device = `device=${browser.cookies.device ?? ''}`;
  const answer = await authorizeMobileApp(app.origin, request.address, browser.cookies[SESSION] ?? '', {}, [device]);
  const code = codeFrom(String(answer.body?.address), request);
  return () => exchangeCode({ appOrigin: app.origin, code, verifier: request.verifier });
}

async function changeEmail(browser: CookieJar) {
  const to = `${randomUUID()}@new.test`;
  const mail = await emailAfter(to, () => app.call(browser, 'account/email', { email: to }));
  expect((await app.call(browser, 'account/email/confirm', { code: codeIn(mail) })).status).toBe(200);
}

async function useRecoveryEmail(browser: CookieJar) {
  const to = `${randomUUID()}@private.test`;
  const mail = await emailAfter(to, () => app.call(browser, 'account/email', { email: to, use: 'recovery' }));
  expect((await app.call(browser, 'account/email/confirm', { code: codeIn(mail) })).status).toBe(200);
  expect((await app.call(browser, 'account/recovery-email', { change: 'use' })).status).toBe(200);
}

async function restoreEmail() {
  const isOwn = eq(emailChanges.uid, app.user.uid);
  const [row] = await (await getRecords()).query((tx) => tx.select().from(emailChanges).where(isOwn));
  const link = { uid: app.user.uid, change: row?.id ?? '', at: row?.requestedAt.toISOString() ?? '', copyTo: '' };
  const code = await sealEmailUndoLink(link);
  expect((await app.call(app.newBrowser(), 'actions/undo-email-change', { code })).status).toBe(200);
}

/** Each begins after the browser has a session, and ends with the change. */
const CHANGES: Record<string, (own: CookieJar, other: CookieJar) => Promise<() => Promise<void>>> = {
  'a change of the email in this browser': (own) => Promise.resolve(() => changeEmail(own)),
  'a change of the email in another browser': (_own, other) => Promise.resolve(() => changeEmail(other)),
  'a recovery email that becomes the main one': (own) => Promise.resolve(() => useRecoveryEmail(own)),
  'a restoration of the email': async (own) => {
    await changeEmail(own);
    await nextSecond();
    return restoreEmail;
  },
};

test.each(Object.keys(CHANGES))('a code of the mobile app, and its session, end with %s', async (name) => {
  const [own, other] = [await signIn(), await signIn('phone')];
  const change = (await CHANGES[name]?.(own, other)) ?? expect.unreachable(name);
  const [exchange, exchangeLater] = [await authorize(own), await authorize(own)];
  const token = await exchange();
  const mobile = app.newBrowser('phone');
  expect((await app.open(mobile, await idTokenByCustomToken(token))).status).toBe(200);
  await nextSecond();
  await change();
  await expect(exchangeLater()).rejects.toThrow('invalid_grant');
  expect(await app.check(mobile)).toBe(401);
  expect((await app.open(app.newBrowser('phone'), await idTokenByCustomToken(token))).status).toBe(401);
});
