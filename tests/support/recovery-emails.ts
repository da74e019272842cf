import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { expect } from 'vitest';
import { getRecords } from '@/lib/server/storage/records';
import { recoveryEmails as table } from '@/lib/server/storage/records/schema';
import type { Answer, CookieJar } from './client';
import { codeIn } from './mail';
import { emailAfter } from './mailbox-owner';
import type { TestUser } from './accounts-client';

type App = { user: TestUser; call: (browser: CookieJar, path: string, body?: object) => Promise<Answer> };

/** Calls about the recovery email of the test's user. */
export function recoveryEmails(app: App) {
  const ask = (browser: CookieJar, email: unknown) => app.call(browser, 'account/email', { email, use: 'recovery' });
  const confirm = (browser: CookieJar, code: string) => app.call(browser, 'account/email/confirm', { code });
  const change = (browser: CookieJar, what: 'remove' | 'use') =>
    app.call(browser, 'account/recovery-email', { change: what });
  /** Adds a recovery email in a session. @returns it */
  const add = async (browser: CookieJar, to = `${randomUUID()}@private.test`) => {
    const mail = await emailAfter(to, () => ask(browser, to));
    expect(await confirm(browser, codeIn(mail))).toMatchObject({ status: 200 });
    return to;
  };
  const readRecovery = async (uid = app.user.uid) => {
    const rows = await (await getRecords()).query((tx) => tx.select().from(table).where(eq(table.uid, uid)));
    return rows[0]?.email;
  };
  return { ask, confirm, change, add, readRecovery };
}
