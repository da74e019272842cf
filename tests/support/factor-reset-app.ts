import { sql } from 'drizzle-orm';
import { expect, inject } from 'vitest';
import { getRecords } from '@/lib/server/storage/records';
import { readFactorReset } from '@/lib/server/notifications/scheduled/factor-resets';
import type { CookieJar } from './client';
import { work } from './deletions';
import { codeIn, linksIn, mailsTo } from './mail';
import type { SecondFactorApp } from './second-factor-app';

const CODE_SUBJECT = /^[0-9A-Z]{6} is your Campus code to turn off two-step verification$/;
/** Subjects of the emails about a reset, without the brand. */
export const SUBJECTS = {
  requested: 'Two-step verification of your Campus account will be turned off',
  reminder: 'Reminder: two-step verification of your Campus account will be turned off',
  warning: 'In an hour, two-step verification of your Campus account will be turned off',
  cancelled: 'Two-step verification of your Campus account stays on',
  done: 'Two-step verification is off for your Campus account',
};

/** Creates the steps for tests of the reset of a lost second factor. */
export function createResetSteps(app: SecondFactorApp) {
  const { call, begun, newBrowser } = app;
  const requestCode = (browser: CookieJar) => call(browser, 'second-factor/reset-code');
  const request = (browser: CookieJar, code: string) => call(browser, 'second-factor/reset', { code });
  const mails = async () => {
    await work(await getRecords());
    return mailsTo({ mailboxUrl: inject('mailboxUrl') }, app.user.email, 0);
  };
  const readCodes: string[] = [];
  /**
   * Reads the newest emailed code. The mailbox lists an email a moment after it has accepted it, so it waits for a new
   * email.
   */
  const readCode = async () => {
    const find = async () =>
      (await mails())
        .filter(({ subject }) => CODE_SUBJECT.test(subject))
        .map(codeIn)
        .at(-1);
    await expect.poll(find).toSatisfy((code?: string) => code !== undefined && !readCodes.includes(code));
    const code = (await find()) ?? '';
    readCodes.push(code);
    return code;
  };
  /** Lists the subjects of the emails about the reset, in order. */
  const subjects = async () => {
    const about: string[] = Object.values(SUBJECTS);
    return (await mails()).map(({ subject }) => subject).filter((subject) => about.includes(subject));
  };
  /** Reads the code of the cancel link in the email with this subject. */
  const readLink = async (subject: string) => {
    const find = async () =>
      (await mails())
        .filter((one) => one.subject === subject)
        .map((one) => linksIn(one)[0])
        .at(-1);
    await expect.poll(find).toBeDefined();
    const link = (await find()) ?? '';
    return new URL(link).searchParams.get('oobCode') ?? '';
  };
  /** Requests a reset with all its steps. @returns the browser, and the time when the reset takes effect */
  const ask = async (browser = newBrowser('phone')) => {
    await begun(browser);
    expect(await requestCode(browser)).toMatchObject({ status: 200 });
    const answer = await request(browser, await readCode());
    expect([answer.status, answer.body?.code]).toEqual([200, undefined]);
    return { browser, effectiveAt: String(answer.body?.effectiveAt) };
  };
  const readReset = async () => readFactorReset(await getRecords(), app.user.uid);
  /** Moves the reset and its emails into the past, and performs the due work. */
  const pass = async (interval: string) => {
    const records = await getRecords();
    const { uid } = app.user;
    await records.transact(async (tx) => {
      await tx.execute(sql`update factor_resets set requested_at = requested_at - ${interval}::interval,
        effective_at = effective_at - ${interval}::interval, reminded_at = reminded_at - ${interval}::interval,
        warned_at = warned_at - ${interval}::interval, due_at = due_at - ${interval}::interval where uid = ${uid}`);
      await tx.execute(sql`update jobs set created_at = created_at - ${interval}::interval,
        due_at = due_at - ${interval}::interval, sent_at = sent_at - ${interval}::interval where uid = ${uid}`);
    });
    await work(records);
  };
  const resetKinds = async () => (await app.kinds()).filter((kind) => kind.startsWith('factor-reset')).reverse();
  return { requestCode, request, readCode, subjects, readLink, ask, readReset, pass, resetKinds };
}
