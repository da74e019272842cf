// Threats: dependency-failure
import { beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { requestedEmailJobs } from '@/lib/server/accounts/email-queue';
import type { RequestedEmail } from '@/lib/server/accounts/requested-email';
import { readStoredByEmail } from '@/lib/server/identity/admin';
import { openRecords } from '@/lib/server/storage/records';
import { runJobs } from '@/lib/server/storage/records/jobs';
import { UNHURRIED } from '../support/client';
import { engines, toVariables, useDatabase } from '../support/databases';
import { bundleKilledProcess, prepareKilledProcess } from '../support/killed-process';
import { mailsTo } from '../support/mail';
import { buildRegistration, letLeasesEnd, readRequestedEmails } from '../support/requested-emails';
import { createTestUser } from '../support/test-users';

vi.setConfig(UNHURRIED);

const mailbox = { mailboxUrl: inject('mailboxUrl') };
let program: string;
beforeAll(async () => {
  program = await bundleKilledProcess('email-process');
});

type Case = { request: RequestedEmail; to: string; uid: string; provider: string };

const cases = {
  // Of an unverified account that others made, so that the identity provider finds it.
  'a registration': async (): Promise<Case> => {
    const { email, uid } = await createTestUser({ emailVerified: false });
    return { request: buildRegistration(email), to: email, uid, provider: 'getUserByEmail' };
  },
  'a reset': async (): Promise<Case> => {
    const { email, uid } = await createTestUser();
    const request = { kind: 'reset', email, code: 'ABC234' } as const;
    return { request, to: email, uid, provider: 'generatePasswordResetLink' };
  },
};

describe.each(engines)('a process killed between any two steps, on %s', (kind) => {
  const database = useDatabase(kind);

  const prepare = (step: number) => {
    return prepareKilledProcess(program, [String(step)], toVariables(database.choice));
  };

  test.each(Object.entries(cases))('sends the email of %s, once for its reader', async (_, create) => {
    const ends: string[] = [];
    let provider = '';
    for (let step = 1; ends.at(-1) !== 'done'; step += 1) {
      const { request, to, uid, ...used } = await create();
      provider = used.provider;
      const end = await prepare(step).run(JSON.stringify(request));
      ends.push(end);
      const records = await openRecords(database.choice);
      await letLeasesEnd(records);
      await runJobs(records, requestedEmailJobs);
      expect(await readRequestedEmails(records), end).toEqual([]);
      await records.close();
      const mails = await mailsTo(mailbox, to);
      expect(new Set(mails.map(({ headers }) => headers['message-id'])).size, end).toBe(1);
      // Killed between its acceptance and the record of that, it is handed over again: with the same id.
      expect(mails.length, end).toBeLessThanOrEqual(ends.includes('killed after sendMail') ? 2 : 1);
      for (const { text } of mails) expect(text).toContain('ABC234');
      expect((await readStoredByEmail(to))?.uid, end).toBe(uid);
    }
    for (const name of ['query', provider, 'sendMail']) expect(ends).toContain(`killed after ${name}`);
  });
});
