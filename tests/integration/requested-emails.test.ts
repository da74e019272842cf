// Threats: enumeration, requested-emails-read
// requested-emails.nightly.test.ts covers the rest.
import { randomUUID } from 'node:crypto';
import { afterEach, expect, inject, test, vi } from 'vitest';
import { drainBehindResponses } from '@/lib/server/http/behind-response';
import { getRecords } from '@/lib/server/storage/records';
import { CookieJar } from '../support/client';
import { mailsTo } from '../support/mail';
import { holdLookups, readRequestedEmails } from '../support/requested-emails';
import { serveSessions } from '../support/session-app';

process.env.TRUSTED_PROXY_HOPS = '1';
const app = serveSessions();

afterEach(async () => {
  vi.restoreAllMocks();
  await drainBehindResponses();
});

const readRows = async () => readRequestedEmails(await getRecords());
const newEmail = () => `${randomUUID()}@campus.test`;

const PASSWORD = 'quiet-lantern-42';
const paths = [
  ['password-reset', (email: string) => ({ email })],
  ['sign-in-help', (email: string) => ({ email })],
  ['email-link', (email: string) => ({ email })],
  ['registration', (email: string) => ({ name: 'Mia Moreau', email, password: PASSWORD })],
] as const;

test.each(paths)('what %s promises is in the database before its response, sealed', async (path, getBody) => {
  const { release } = holdLookups();
  const rows: Awaited<ReturnType<typeof readRows>> = [];
  for (const email of [app.user.email, newEmail()]) {
    const { status } = await new CookieJar().post(`${app.origin}/api/${path}`, getBody(email));
    expect(status).toBe(200);
    const [row] = (await readRows()).slice(-1);
    if (row) rows.push(row);
    expect(JSON.stringify(row)).not.toContain(email);
    expect(JSON.stringify(row)).not.toContain(PASSWORD);
  }
  expect(new Set(rows.map(({ id }) => id)).size).toBe(2);
  release();
  await drainBehindResponses();
  expect(await readRows()).toEqual([]);
  const [mail] = await mailsTo({ mailboxUrl: inject('mailboxUrl') }, app.user.email, 1);
  expect(mail?.headers['message-id']).toBe(`<${rows[0]?.id ?? ''}@localhost>`);
});
