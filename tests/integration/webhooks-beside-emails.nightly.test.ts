// Threats: dependency-failure
import { and, eq, isNull } from 'drizzle-orm';
import { randomUUID } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBackgroundWork } from '@/lib/server/launch/background';
import { getOwnBrand } from '@/lib/server/notifications/email';
import { addNotice } from '@/lib/server/notifications/outbox/outbox';
import { getRecords } from '@/lib/server/storage/records';
import { jobs } from '@/lib/server/storage/records/schema';
import { addWebhookEvent } from '@/lib/server/storage/records/announcements';
import { startWebhookReceiver, WEBHOOK_SECRET } from '../support/webhook-receiver';

/** This mail server accepts connections and sends nothing. */
const sockets = new Set<Socket>();
const mailServer = createServer((socket) => void sockets.add(socket.on('error', () => {})));
let receiver: Awaited<ReturnType<typeof startWebhookReceiver>>;
beforeAll(async () => {
  await new Promise<void>((resolve) => mailServer.listen(0, '127.0.0.1', resolve));
  receiver = await startWebhookReceiver();
  const { port } = mailServer.address() as { port: number };
  Object.assign(process.env, {
    SMTP_URL: `smtp://127.0.0.1:${String(port)}`,
    WEBHOOK_URL: receiver.url,
    WEBHOOK_SECRET,
  });
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  mailServer.close();
  await receiver.stop();
});

test('a mail server that hangs delays no event', async () => {
  const records = await getRecords();
  const { origin, brandName, accent, support } = getOwnBrand();
  const brand = { origin, brandName, accent, support };
  for (let count = 0; count < 8; count += 1) {
    const body = { channel: 'email', to: 'mia@campus.test', email: { kind: 'deletion-cancelled' }, brand } as const;
    await records.transact((tx) => addNotice(tx, { uid: randomUUID(), key: '1', body }));
  }
  startBackgroundWork();
  await expect.poll(() => sockets.size).toBeGreaterThan(0);
  const uid = randomUUID();
  await records.transact((tx) => addWebhookEvent(tx, { type: 'account.deleted', data: { uid } }));
  await expect.poll(() => receiver.of(uid).length).toBe(1);
  const untold = and(eq(jobs.kind, 'deletion-cancelled'), isNull(jobs.lastError));
  expect(await records.transact((tx) => tx.select({ id: jobs.id }).from(jobs).where(untold))).not.toEqual([]);
});
