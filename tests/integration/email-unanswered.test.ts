// Threats: dependency-failure
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendDueEmails } from '@/lib/server/accounts/email-queue';
import { drainBehindResponses } from '@/lib/server/http/behind-response';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { getRecords } from '@/lib/server/storage/records';
import { exportEvents } from '@/lib/server/storage/records/events';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { post } from '../support/client';
import { useRecords } from '../support/databases';
import { letLeasesEnd, readRequestedEmails } from '../support/requested-emails';
import { serveRoutes, type RunningRoutes } from '../support/routes';

let app: RunningRoutes;
let port = 0;
beforeAll(async () => {
  [port = 0] = await freePorts(1);
  process.env.SMTP_URL = `smtp://127.0.0.1:${port}`;
});
useRecords();
beforeAll(async () => {
  app = await serveRoutes();
});
afterAll(() => app.close());

/** A mail server that closes the connection instead of telling that it has taken an email. */
async function startClosingServer() {
  const server = createServer((socket) => {
    let isContent = false;
    socket.on('error', () => undefined).write('220 localhost\r\n');
    socket.on('data', (data) => {
      const text = data.toString();
      if (isContent) return void (text.endsWith('.\r\n') && socket.destroy());
      isContent = text.startsWith('DATA');
      socket.write(isContent ? '354 go on\r\n' : '250 OK\r\n');
    });
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return server;
}

test('an account is kept whose email the mail server may have taken, also when it is down at the next attempt', async () => {
  const server = await startClosingServer();
  const email = `${randomUUID()}@campus.test`;
  const body = { name: 'Mia Moreau', email, password: 'quiet-lantern-42' };
  expect((await post(`${app.origin}/api/registration`, { body })).status).toBe(200);
  await drainBehindResponses();
  const { uid } = await getIdentityAdmin().getUserByEmail(email);
  await new Promise((resolve) => server.close(resolve));
  const records = await getRecords();
  expect(await readRequestedEmails(records)).toMatchObject([{ attempts: 1 }]);
  await letLeasesEnd(records);
  await sendDueEmails(records);
  expect(await readRequestedEmails(records)).toMatchObject([{ attempts: 2 }]);
  expect((await getIdentityAdmin().getUserByEmail(email)).uid).toBe(uid);
  expect((await exportEvents(records, uid)).map(({ kind }) => kind)).toEqual(['registered']);
});
