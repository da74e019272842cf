// Threats: dependency-failure
import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectErrorSink } from '@/lib/shared/error-reporting/report';
import { emailJobs } from '@/lib/server/notifications';
import { getRecords } from '@/lib/server/storage/records';
import { jobs } from '@/lib/server/storage/records/schema';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { runJobs } from '@/lib/server/storage/records/jobs';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { openSession, post } from '../support/client';
import { fetchIdToken, createTestUser } from '../support/test-users';
import { serveRoutes, type RunningRoutes } from '../support/routes';

const reports: unknown[] = [];
let app: RunningRoutes;
beforeAll(async () => {
  const [closed = 0] = await freePorts(1);
  process.env.SMTP_URL = `smtp://127.0.0.1:${closed}`;
  connectErrorSink((report) => reports.push(report));
  app = await serveRoutes();
});
afterAll(() => app.close());

test('an unreachable mail server is reported, without the email or the code', async () => {
  const email = `${randomUUID()}@campus.test`;
  const body = { name: 'Mia Moreau', email, password: 'quiet-lantern-42' };
  const answer = await post(`${app.origin}/api/registration`, { body });
  expect(answer.body).toMatchObject({ code: 'mail-unavailable' });
  expect(answer.headers.get('retry-after')).toBe('30');
  expect(reports).toHaveLength(1);
  expect(JSON.stringify(reports)).not.toContain(email);
  await expect(getIdentityAdmin().getUserByEmail(email)).rejects.toMatchObject({ code: 'auth/user-not-found' });
});

test('a new password is kept if its notice cannot be sent, and the notice waits', async () => {
  const user = await createTestUser();
  const cookie = await openSession(app.origin, await fetchIdToken(user));
  const body = { current: user.password, password: 'quiet-lantern-42' };
  expect((await post(`${app.origin}/api/account/password`, { cookie, body })).status).toBe(200);
  expect(await fetchIdToken({ ...user, password: 'quiet-lantern-42' })).toEqual(expect.any(String));
  const records = await getRecords();
  await runJobs(records, emailJobs);
  const written = await records.transact((tx) => tx.select().from(jobs).where(eq(jobs.uid, user.uid)));
  const tried = written.filter(({ attempts }) => attempts > 0);
  expect(tried.length).toBeGreaterThan(0);
  for (const notice of tried) expect(notice).toMatchObject({ attempts: 1, sentAt: null, failedAt: null });
});
