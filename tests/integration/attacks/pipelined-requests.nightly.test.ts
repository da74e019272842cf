// Threats: held-connections, email-budget
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { root, testDistDir } from '../../../scripts/lib/paths.mjs';
import { startOtherApp } from '../../../scripts/lib/stack.mjs';
import { attackTools } from '../../support/attack';
import { openSocket } from '../../support/raw-socket';

// Responses that wait for their turn in a pipeline have no socket. Node.js does not notify them when the client hangs
// up.

/** This is more than the buffers of a connection hold. */
const UNREAD = 30;
/** These are the numbers that may wait behind responses in a process. */
const [CONNECTIONS, EMAILS] = [10, 50];

let app: Awaited<ReturnType<typeof startOtherApp>>;
let file: string;

beforeAll(async () => {
  app = await startOtherApp(inject('endpoints'), { TRUSTED_PROXY_HOPS: '1' });
  const chunks = path.join(root, testDistDir, 'static/chunks');
  const sizes = readdirSync(chunks).map((name) => ({ name, size: statSync(path.join(chunks, name)).size }));
  file = `/_next/static/chunks/${sizes.toSorted((a, b) => b.size - a.size)[0]?.name ?? ''}`;
}, 240_000);
afterAll(() => app.stop());

const getFile = () => `GET ${file} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

/** Sends requests without reading the responses, and then hangs up. */
async function sendUnread(requests: readonly string[]): Promise<void> {
  const socket = await openSocket(Number(new URL(app.endpoints.appOrigin).port));
  socket.pause();
  // All are written together, because Node.js reads no further than it can respond.
  socket.write(requests.join(''));
  await sleep(1_000);
  socket.destroy();
}

test.runIf(process.platform === 'linux')(
  'files that were asked for in a pipeline are closed when the client hangs up',
  async () => {
    const count = () => readdirSync(`/proc/${String(app.pid)}/fd`).length;
    await sendUnread([getFile()]);
    const before = count();
    for (let round = 0; round < 3; round += 1) await sendUnread(Array<string>(100).fill(getFile()));
    await expect.poll(count).toBeLessThan(before + 10);
  },
  60_000,
);

test('emails that were asked for in a pipeline keep no place in the queue', async () => {
  const { freshEmail, browser } = attackTools(app.endpoints);
  const askForHelp = () => {
    const body = JSON.stringify({ email: freshEmail('nowhere.test') });
    const headers = `Host: localhost\r\nOrigin: ${app.endpoints.appOrigin}\r\nX-Forwarded-For: 198.51.100.1\r\n`;
    return `POST /api/sign-in-help HTTP/1.1\r\n${headers}Content-Type: application/json\r\nContent-Length: ${String(body.length)}\r\n\r\n${body}`;
  };
  const files = Array.from({ length: UNREAD }, getFile);
  const pipelines = Array.from({ length: CONNECTIONS }, () => [
    ...files,
    ...Array.from({ length: EMAILS }, askForHelp),
  ]);
  await Promise.all(pipelines.map(sendUnread));
  const learner = browser();
  learner.headers['x-forwarded-for'] = '198.51.100.77';
  const ask = async () =>
    (await learner.post(`${app.endpoints.appOrigin}/api/sign-in-help`, { email: freshEmail() })).status;
  expect(await ask()).toBe(200);
});
