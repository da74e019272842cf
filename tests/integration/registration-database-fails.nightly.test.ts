// Threats: dependency-failure, pre-hijacking
// The database fails in the middle of a registration, before each of its queries. It comes back after the step's
// response. Another process then finds what this one has left.
import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { requestedEmailJobs } from '@/lib/server/accounts/email-queue';
import { drainBehindResponses } from '@/lib/server/http/behind-response';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { PROVED_ADDRESS_CLAIM } from '@/lib/server/policy/account';
import { getRecords } from '@/lib/server/storage';
import { RecordsError } from '@/lib/server/storage/records/errors';
import { runJobs } from '@/lib/server/storage/records/jobs';
import { listProvedBy } from '@/lib/server/storage/records/proved-emails';
import { CookieJar, type Answer } from '../support/client';
import { codeIn } from '../support/mail';
import { Registration } from '../support/registration';
import { letLeasesEnd } from '../support/requested-emails';
import { fetchIdToken, idTokenByCustomToken } from '../support/test-users';

const registration = new Registration();
const post = (path: string, body: object) => registration.jar.post(`${registration.app.origin}/api/${path}`, body);
const open = (token: string) => post('create-user-session', { token });
afterEach(() => {
  vi.restoreAllMocks();
});

/**
 * Runs a step with a database that fails from one of its queries on.
 * @param at number of queries that succeed
 * @returns the number of queries that the step tried, with those that failed
 */
async function failFrom(at: number, step: () => Promise<Answer>): Promise<{ answer: Answer; count: number }> {
  const records = await getRecords();
  let count = 0;
  for (const name of ['transact', 'query'] as const) {
    const real = records[name].bind(records);
    vi.spyOn(records, name).mockImplementation((work) => {
      count += 1;
      return count > at ? Promise.reject(new RecordsError('CONNECTION')) : real(work);
    });
  }
  const answer = await step();
  await drainBehindResponses();
  vi.restoreAllMocks();
  await letLeasesEnd(records);
  await runJobs(records, requestedEmailJobs);
  return { answer, count };
}

/** The steps of a learner. Each returns the response that the page gets. */
const STEPS: Record<string, () => Promise<Answer>> = {
  register: () => registration.register(),
  confirm: async () => registration.confirm(codeIn((await registration.mails()).at(-1) ?? { text: '' })),
  open: () => open(token),
};
let token = '';

/** This is more than any step has. */
const MAX_QUERIES = 40;

describe.each(Object.keys(STEPS))('a database that fails while learners %s', (failing) => {
  test('keeps none of them out, and leaves no account without its owner’s proof', async () => {
    let failures = 0;
    // The last pass has one query more than the step needs, so nothing fails in it.
    for (let at = 0; at === failures && at < MAX_QUERIES; at += 1) {
      registration.email = `${randomUUID()}@campus.test`;
      const { email } = registration;
      const password = registration.values().password;
      for (const [name, step] of Object.entries(STEPS)) {
        // The email of the step before is sent behind its response.
        if (name === 'confirm') await registration.mails();
        const failed = name === failing ? await failFrom(at, step) : null;
        if (failed && failed.count > at) failures += 1;
        let answer = failed?.answer ?? (await step());
        if (answer.status === 503) {
          expect(answer.cookies['_secure-user-session']?.value ?? '').toBe('');
          // A code that was spent for nothing is given back a second later.
          await expect.poll(async () => (answer = await step()).body?.code, { interval: 500 }).not.toBe('code-used');
        }
        expect([name, at, answer.status, answer.body?.code]).toEqual([name, at, 200, undefined]);
        if (name === 'confirm') token = await idTokenByCustomToken(String(answer.body?.customToken));
      }
      const { uid, emailVerified, customClaims, providerData } = await getIdentityAdmin().getUserByEmail(email);
      expect([emailVerified, providerData.map(({ providerId }) => providerId)]).toEqual([true, ['password']]);
      expect(customClaims?.[PROVED_ADDRESS_CLAIM]).toBe(email);
      expect(await listProvedBy(email)).toEqual([uid]);
      expect((await registration.mails()).length).toBeLessThanOrEqual(2);
      registration.jar = new CookieJar();
      expect((await open(await fetchIdToken({ email, password }))).status).toBe(200);
    }
    expect(failures).toBeGreaterThan(0);
    expect(failures).toBeLessThan(MAX_QUERIES);
  });
});
