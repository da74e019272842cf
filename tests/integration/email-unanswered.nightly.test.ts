// Threats: dependency-failure
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { requestedEmailJobs } from '@/lib/server/accounts/email-queue';
import { drainBehindResponses } from '@/lib/server/http/behind-response';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { getStore } from '@/lib/server/storage';
import { getRecords } from '@/lib/server/storage/records';
import { exportEvents } from '@/lib/server/storage/records/events';
import { runJobs } from '@/lib/server/storage/records/jobs';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { post } from '../support/client';
import { letLeasesEnd, readRequestedEmails } from '../support/requested-emails';
import { serveRoutes, type RunningRoutes } from '../support/routes';
import { setProductionLimits } from '../support/time-limits';

let app: RunningRoutes;
let port = 0;
beforeAll(async () => {
  // The mail server hangs.
  setProductionLimits();
  [port = 0] = await freePorts(1);
  process.env.SMTP_URL = `smtp://127.0.0.1:${port}`;
});
beforeAll(async () => {
  app = await serveRoutes();
});
afterAll(() => app.close());

/**
 * Starts a mail server that accepts neither a command nor the end of an email. It closes the connection or leaves it
 * open. With `QUIT`, it takes the email first.
 */
async function startServer(at: 'RCPT' | 'DATA' | 'end' | 'QUIT', does: 'closes' | 'hangs') {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let isContent = false;
    socket.on('error', () => undefined).write('220 localhost\r\n');
    socket.on('data', (data) => {
      const text = data.toString();
      const isEnd = isContent && text.endsWith('.\r\n');
      const isReached = at === 'end' ? isEnd : !isContent && text.startsWith(at);
      if (isReached && does === 'closes') return void socket.destroy();
      if (isReached || (isContent && !isEnd)) return;
      isContent = text.startsWith('DATA');
      socket.write(isContent ? '354 go on\r\n' : '250 OK\r\n');
    });
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  const stop = () => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  };
  return { stop };
}

/** Registers while the email fails for a limited time. */
async function register() {
  const email = `${randomUUID()}@campus.test`;
  const body = { name: 'Mia Moreau', email, password: 'quiet-lantern-42' };
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  // Shortens the timeout of emails only.
  const time = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(ms === 30_000 ? 1_000 : ms));
  expect((await post(`${app.origin}/api/registration`, { body })).status).toBe(200);
  await drainBehindResponses();
  time.mockRestore();
  expect((await readRequestedEmails(await getRecords())).at(-1)).toMatchObject({ attempts: 1 });
  return email;
}

test.each([
  ['RCPT', 'closes'],
  ['RCPT', 'hangs'],
  ['DATA', 'closes'],
  ['DATA', 'hangs'],
] as const)('an account is removed whose email no mail server has: at %s it %s', async (command, does) => {
  const server = await startServer(command, does);
  const email = await register();
  await server.stop();
  await expect(getIdentityAdmin().getUserByEmail(email)).rejects.toMatchObject({ code: 'auth/user-not-found' });
});

test.each(['closes', 'hangs'] as const)(
  'an account is kept whose email the mail server may have taken, which %s, also when it is down at the next attempt',
  async (does) => {
    const records = await getRecords();
    const server = await startServer('end', does);
    const email = await register();
    const { uid } = await getIdentityAdmin().getUserByEmail(email);
    await server.stop();
    await letLeasesEnd(records);
    await runJobs(records, requestedEmailJobs);
    expect((await readRequestedEmails(records)).at(-1)).toMatchObject({ attempts: 2 });
    expect((await getIdentityAdmin().getUserByEmail(email)).uid).toBe(uid);
    expect((await exportEvents(records, uid)).map(({ kind }) => kind)).toEqual(['registered']);
  },
);

test('an account that a later attempt creates again has records at once', async () => {
  const records = await getRecords();
  const create = vi.spyOn(getIdentityAdmin(), 'createUser');
  const away = await startServer('RCPT', 'closes');
  const email = await register();
  await away.stop();
  const uid = create.mock.calls[0]?.[0].uid ?? '';
  // The records are deleted behind the registration.
  await vi.waitUntil(() => getStore().hasAny([`deleted-account:${uid}`]));
  const server = await startServer('QUIT', 'closes');
  await letLeasesEnd(records);
  await runJobs(records, requestedEmailJobs);
  await server.stop();
  expect((await getIdentityAdmin().getUserByEmail(email)).uid).toBe(uid);
  await vi.waitUntil(async () => (await exportEvents(records, uid)).length > 0);
  expect((await exportEvents(records, uid)).map(({ kind }) => kind)).toEqual(['registered']);
});
