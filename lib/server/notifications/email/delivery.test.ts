// Threats: dependency-failure
import { createServer, Socket, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { readMetrics } from '@/lib/server/runtime';
import { getOwnBrand, sendEmail } from '.';

/** The test mail server's reply to each recipient, as its first line. */
let reply = '';
/** Replies to recipients that are held back while `holds`. */
const held: (() => void)[] = [];
let holds = false;
/** Delay of the reply to the end of an email, in milliseconds. */
let delay = 0;
const sockets = new Set<Socket>();
const server = createServer((socket) => {
  sockets.add(socket);
  socket.on('close', () => sockets.delete(socket));
  socket.on('error', () => undefined);
  let isContent = false;
  socket.on('data', (data) => {
    const line = data.toString();
    const answer = () => void socket.write(`${reply}\r\n`);
    if (isContent) {
      if (!line.endsWith('.\r\n')) return;
      isContent = false;
      if (delay > 0) setTimeout(answer, delay);
      else answer();
    } else if (line.startsWith('RCPT')) void (holds ? held.push(answer) : answer());
    else if (line.startsWith('DATA')) {
      isContent = true;
      socket.write('354 go on\r\n');
    } else socket.write(line.startsWith('QUIT') ? '221 bye\r\n' : '250 ok\r\n');
  });
  socket.write('220 ready\r\n');
});

beforeAll(async () => {
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  Object.assign(process.env, {
    FIREBASE_AUTH_EMULATOR_HOST: 'localhost:9',
    LOG_LEVEL: 'silent',
    // Nothing listens at this address, so emails are sent without their record.
    DATABASE_URL: 'postgres://127.0.0.1:9/none',
    SMTP_URL: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
  });
});
afterAll(() => void server.close());

const readState = async () => /^dependency_up\{dependency="mail"\} (\d)$/m.exec((await readMetrics()).text)?.[1];
const countRefused = async () =>
  Number(/^emails_total\{.*result="refused"\} (\d+)$/m.exec((await readMetrics()).text)?.[1] ?? 0);

test.each([
  ['deferred, as one whose domain is unknown', '450 4.1.2 Domain not found', '1'],
  ['deferred, as one that is full', '452 4.2.2 Over quota', '1'],
  ['refused', '550 5.1.1 No such mailbox', '1'],
  ['deferred in an old way', '450 Later', '1'],
  ['deferred, as all are of this sender', '454 4.7.1 Relay access denied', '0'],
  ['deferred, as all are of this address', '451 4.1.8 Sender address rejected', '0'],
  ['not answered by a server that closes', '421 4.3.2 Shutting down', '0'],
])('a mailbox that anyone can enter is %s', async (_name, line, isUp) => {
  reply = line;
  const refused = await countRefused();
  const sent = sendEmail('mia@campus.test', { kind: 'factor-reset-code', code: 'ABCDEF' }, getOwnBrand());
  await expect(sent).rejects.toMatchObject({ code: 'mail-unavailable' });
  expect(await readState()).toBe(isUp);
  // A refusal does not count as failed, because failures trigger the alert `EmailsFail`.
  expect((await countRefused()) - refused).toBe(Number(isUp));
});

test('an email that waits for a connection has not begun: its timeout starts later', async () => {
  const send = () => sendEmail('mia@campus.test', { kind: 'factor-reset-code', code: 'ABCDEF' }, getOwnBrand());
  [reply, holds] = ['250 ok', true];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const sent = Promise.allSettled(Array.from({ length: 6 }, send));
    await expect.poll(() => held.length).toBe(5);
    vi.advanceTimersByTime(9_000);
    for (const answer of held.splice(0)) answer();
    await expect.poll(() => held.length).toBe(1);
    vi.advanceTimersByTime(9_000);
    held.pop()?.();
    expect((await sent).map(({ status }) => status)).toEqual(Array(6).fill('fulfilled'));
  } finally {
    vi.useRealTimers();
    holds = false;
  }
});

/** Closes all connections, so that the next connection is new. */
async function closeConnections(): Promise<void> {
  for (const socket of sockets) socket.destroy();
  await expect.poll(() => sockets.size).toBe(0);
}

test('a delivery that is too slow fails, and frees its connection for the next one', async () => {
  await closeConnections();
  const send = () => sendEmail('mia@campus.test', { kind: 'factor-reset-code', code: 'ABCDEF' }, getOwnBrand());
  [reply, holds] = ['250 ok', true];
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 200);
    return controller.signal;
  });
  const sent = await Promise.allSettled(Array.from({ length: 5 }, send));
  expect(sent.map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
  timeout.mockRestore();
  [holds, held.length] = [false, 0];
  await send();
});

test('a server that examines an email for long has it once', async () => {
  await closeConnections();
  const wait: (this: Socket, ms: number, done?: () => void) => Socket = Reflect.get(Socket.prototype, 'setTimeout');
  // Shortens seconds to 50 ms.
  vi.spyOn(Socket.prototype, 'setTimeout').mockImplementation(function (this: Socket, ms, done) {
    return wait.call(this, ms / 20, done);
  });
  [reply, delay] = ['250 ok', 400];
  try {
    await sendEmail('mia@campus.test', { kind: 'factor-reset-code', code: 'ABCDEF' }, getOwnBrand());
  } finally {
    vi.restoreAllMocks();
    delay = 0;
  }
});
