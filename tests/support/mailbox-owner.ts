import { randomUUID } from 'node:crypto';
import { expect, inject } from 'vitest';
import { drainBehindResponses } from '@/lib/server/http/behind-response';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import type { Answer, CookieJar } from './client';
import { linksIn, mailsTo, type Mail } from './mail';
import { fetchIdToken, idTokenByCustomToken } from './test-users';

/** The calls that a person makes who has nothing but a mailbox. */
export type MailboxApp = {
  newBrowser: () => CookieJar;
  call: (browser: CookieJar, path: string, body?: object) => Promise<Answer>;
  open: (browser: CookieJar, token: string) => Promise<Answer>;
};

/** Shows the second factor of a sign-in that waits for it. */
export type ShowFactor = (browser: CookieJar) => Promise<Answer>;

const mailbox = { mailboxUrl: inject('mailboxUrl') };

/** The email that a call sends to an address, once all work behind the response is done. */
export async function emailAfter(address: string, call: () => Promise<Answer>): Promise<Mail> {
  const before = await mailsTo(mailbox, address, 0);
  expect(await call()).toMatchObject({ status: 200 });
  await drainBehindResponses();
  const mails = await mailsTo(mailbox, address, before.length + 1);
  return mails.at(-1) as Mail;
}

/** The 6-character code of an email, and the code of its link; undefined when it has none. */
export function readEmail(mail: Mail): { code: string | undefined; mode: string | null; oobCode: string | null } {
  const [link = 'http://localhost'] = linksIn(mail);
  const { searchParams } = new URL(link);
  const code = /^[0-9A-Z]{6}$/m.exec(mail.text)?.[0];
  return { code, mode: searchParams.get('mode'), oobCode: searchParams.get('oobCode') };
}

/**
 * Gets into the account of an address with nothing but its mailbox, as a person would: by a new password, by an emailed link, or by
 * registering.
 * @param showFactor of an owner whose account has a second factor
 * @returns the id of the account that she has a session of
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

/** Opens a session with the custom token of an answer; an answer without one is returned. */
export async function exchange(app: MailboxApp, browser: CookieJar, answer: Answer): Promise<Answer> {
  const { customToken } = answer.body ?? {};
  return typeof customToken === 'string' ? app.open(browser, await idTokenByCustomToken(customToken)) : answer;
}
