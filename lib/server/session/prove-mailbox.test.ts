// Threats: dependency-failure
import { afterEach, expect, test, vi } from 'vitest';
import { drainBehindResponses } from '@/lib/server/http';
import { getOwnBrand } from '@/lib/server/notifications';
import { sendUnwritten } from '@/lib/server/notifications/outbox/send-due';
import { notifyOwner } from './prove-mailbox';

vi.mock(import('@/lib/server/notifications'), async (original) => ({
  ...(await original()),
  getSignInMethods: () => Promise.resolve([]),
}));
vi.mock(import('@/lib/server/notifications/outbox/send-due'), async (original) => ({
  ...(await original()),
  sendUnwritten: vi.fn(),
}));
vi.mock(import('@/lib/server/identity'), async (original) => ({
  ...(await original()),
  hasPasskey: () => Promise.resolve(false),
}));
afterEach(() => void vi.useRealTimers());

test("a mail server that hangs keeps an account's lock for five seconds, and a process that stops until it has the email", async () => {
  Object.assign(process.env, {
    FIREBASE_AUTH_EMULATOR_HOST: 'localhost:9',
    DATABASE_URL: 'postgres://localhost:9/away',
  });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let accept = () => {};
  vi.mocked(sendUnwritten).mockReturnValue(new Promise((resolve) => (accept = resolve)));
  const [told, drained] = [vi.fn(), vi.fn()];
  const user = { uid: 'mia', email: 'mia@campus.test' } as Parameters<typeof notifyOwner>[0];
  const notified = notifyOwner(user, { notice: 'password-changed', keep: [], remove: [] }, getOwnBrand()).then(told);
  // This does not use a timer, because timers are fake here.
  while (vi.mocked(sendUnwritten).mock.calls.length === 0) await new Promise(setImmediate);
  await vi.advanceTimersByTimeAsync(4_999);
  expect(told).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  await notified;
  const draining = drainBehindResponses().then(drained);
  await new Promise(setImmediate);
  expect(drained).not.toHaveBeenCalled();
  accept();
  await draining;
});
