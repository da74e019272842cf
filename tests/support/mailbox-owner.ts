import { randomUUID } from 'node:crypto';
import { expect, inject } from 'vitest';
import { drainBehindResponses } from '@/lib/server/http/behind-response';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import type { Answer, CookieJar } from './client';
import { linksIn, mailsTo, type Mail } from './mail';
import { fetchIdToken, idTokenByCustomToken } from './test-users';

/** Calls that need nothing except a mailbox. */
export type MailboxApp = {
  newBrowser: () => CookieJar;
  call: (browser: CookieJar, path: string, body?: object) => Promise<Answer>;
  open: (browser: CookieJar, token: string) => Promise<Answer>;
};

/** Shows the second factor in a sign-in that waits for it. */
export type ShowFactor = (browser: CookieJar) => Promise<Answer>;

const mailbox = { mailboxUrl: inject('mailboxUrl') };

/** Returns the email that a call sends to an address, once all work behind the response is done. */
export async function emailAfter(address: string, call: () => Promise<Answer>): Promise<Mail> {
  const before = await mailsTo(mailbox, address, 0);
  expect(await call()).toMatchObject({ status: 200 });
  await drainBehindResponses();
  const mails = await mailsTo(mailbox, address, before.length + 1);
  return mails.at(-1) as Mail;
}

/** Reads the 6-character code of an email and the code of its link. Each is undefined if it is missing. */
export function readEmail(mail: Mail): { code: string | undefined; mode: string | null; oobCode: string | null } {
  const [link = 'http://localhost'] = linksIn(mail);
  const { searchParams } = new URL(link);
  const code = /^[0-9A-Z]{6}$/m.exec(mail.text)?.[0];
  return { code, mode: searchParams.get('mode'), oobCode: searchParams.get('oobCode') };
}

/**
 * Signs in to the account of an address with only its mailbox, as a person would: by a new password, an emailed link,
 * or registration.
 * @param showFactor shows the second factor of an owner who has one
 * @returns the id of the account of her session
 */
export async function enterByMailbox(app: MailboxApp, email: string, showFactor?: ShowFactor): Promise<string> {
  const browser = app.newBrowser();
  const answer =
    (await byReset(app, browser, email)) ??
    (await byLink(app, browser, email)) ??
    (await byRegistration(app, browser, email));
  const completed = answer.body?.code === 'second-factor-required' && showFactor ? await showFactor(browser) : answer;
  expect([completed.status, completed.body?.code], `${email} gets in`).toEqual([200, undefined]);
  const { uid } = await getIdentityAdmin().getUserByEmail(email);
  expect((await app.call(browser, 'check-auth-status')).body).toMatchObject({ uid, email });
  return uid;
}

async function byReset(app: MailboxApp, browser: CookieJar, email: string): Promise<Answer | null> {
  const { code } = readEmail(await emailAfter(email, () => app.call(browser, 'password-reset', { email })));
  if (code === undefined) return null;
  const password = `owner-${randomUUID()}`;
  expect(await app.call(browser, 'password-reset/confirm', { code, password })).toMatchObject({ status: 200 });
  return app.open(browser, await fetchIdToken({ email, password }));
}

async function byLink(app: MailboxApp, browser: CookieJar, email: string): Promise<Answer | null> {
  const { mode, oobCode } = readEmail(await emailAfter(email, () => app.call(browser, 'email-link', { email })));
  if (mode !== 'signIn') return null;
  return exchange(app, browser, await app.call(browser, 'actions/sign-in', { code: oobCode, email }));
}

async function byRegistration(app: MailboxApp, browser: CookieJar, email: string): Promise<Answer> {
  const values = { name: 'Mia Moreau', email, password: `owner-${randomUUID()}` };
  const { code } = readEmail(await emailAfter(email, () => app.call(browser, 'registration', values)));
  expect(code, `${email} can register`).toBeDefined();
  return exchange(app, browser, await app.call(browser, 'registration/confirm', { code }));
}

/** Opens a session with the custom token of a response. A response without a token is returned unchanged. */
export async function exchange(app: MailboxApp, browser: CookieJar, answer: Answer): Promise<Answer> {
  const { customToken } = answer.body ?? {};
  return typeof customToken === 'string' ? app.open(browser, await idTokenByCustomToken(customToken)) : answer;
}
