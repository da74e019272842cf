import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { expect, inject } from 'vitest';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { getProvedEmail } from '@/lib/server/policy/account';
import { getRecords } from '@/lib/server/storage/records';
import { recoveryEmails as table } from '@/lib/server/storage/records/schema';
import { nextSecond, type Answer, type CookieJar } from './client';
import { work } from './deletions';
import { codeIn, mailsTo, type Mail } from './mail';
import { emailAfter, readEmail } from './mailbox-owner';
import type { serveSessions } from './session-app';

type App = Pick<ReturnType<typeof serveSessions>, 'user' | 'call' | 'newBrowser' | 'signIn'>;

export const newEmail = () => `${randomUUID()}@private.test`;
/** The status and the problem code of an answer. */
export const result = ({ status, body }: Pick<Answer, 'status' | 'body'>) => [status, body?.code];
/** The code of the link of an email. */
export const linkIn = (mail: Mail | undefined) => String(readEmail(mail as Mail).oobCode);

/** Calls about the recovery email of the test's user, and its mailboxes. */
export function recoveryEmails(app: App) {
  /** Each browser has a network of its own, because these tests are not about the budgets. */
  let network = 0;
  const newBrowser: App['newBrowser'] = (agent) => {
    const browser = app.newBrowser(agent);
    network += 1;
    browser.headers['x-forwarded-for'] = `198.${String(18 + (network >> 8))}.${String(network & 255)}.9`;
    return browser;
  };
  const signIn = async (agent?: 'laptop' | 'phone') => {
    const browser = newBrowser(agent);
    await app.signIn(browser);
    await nextSecond();
    return browser;
  };
  const ask = (browser: CookieJar, email: unknown) => app.call(browser, 'account/email', { email, use: 'recovery' });
  const confirm = (browser: CookieJar, code: string) => app.call(browser, 'account/email/confirm', { code });
  const change = (browser: CookieJar, what: 'remove' | 'use') =>
    app.call(browser, 'account/recovery-email', { change: what });
  /** Adds a recovery email in a session. @returns it */
  const add = async (browser: CookieJar, to = newEmail()) => {
    const mail = await emailAfter(to, () => ask(browser, to));
    expect(await confirm(browser, codeIn(mail))).toMatchObject({ status: 200 });
    return to;
  };
  /** Changes the main email by the code of the new mailbox, as an intruder does. @returns it */
  const steal = async (browser: CookieJar, to = newEmail()) => {
    const mail = await emailAfter(to, () => app.call(browser, 'account/email', { email: to }));
    expect(await confirm(browser, codeIn(mail))).toMatchObject({ status: 200 });
    await nextSecond();
    return to;
  };
  const readRecovery = async (uid = app.user.uid) => {
    const rows = await (await getRecords()).query((tx) => tx.select().from(table).where(eq(table.uid, uid)));
    return rows[0]?.email;
  };
  /** Expects that the account has an email, proved, and is not disabled. */
  const expectOwned = async (email = app.user.email) => {
    const user = await getIdentityAdmin().getUser(app.user.uid);
    expect([user.email, user.emailVerified, getProvedEmail(user), user.disabled]).toEqual([email, true, email, false]);
  };
  const readMails = async (email: string) => {
    await work(await getRecords());
    return mailsTo({ mailboxUrl: inject('mailboxUrl') }, email, 0);
  };
  const readSubjects = async (email: string) => (await readMails(email)).map(({ subject }) => subject);
  /** The codes of all links of a mode that a mailbox has got. */
  const listLinks = async (email: string, mode: string) =>
    (await readMails(email)).filter(({ text }) => text.includes(mode)).map(linkIn);
  const lastLink = async (email: string, mode: string) => String((await listLinks(email, mode)).at(-1));
  const undo = (code: string) => app.call(newBrowser(), 'actions/undo-email-change', { code });
  const askReset = (browser: CookieJar, email: string) =>
    emailAfter(email, () => app.call(browser, 'password-reset', { email }));
  const confirmReset = (browser: CookieJar, mail: Mail, password: string) =>
    app.call(browser, 'password-reset/confirm', { code: readEmail(mail).code, password });
  return {
    ...{ newBrowser, signIn, ask, confirm, change, add, steal, readRecovery, expectOwned },
    ...{ readMails, readSubjects, listLinks, lastLink, undo, askReset, confirmReset },
  };
}
