// ASVS: 6.3.1, 6.5.1, 7.4.1
// Threats: split-state, deployment-interruption, flooding
import { expect, test as base } from '@playwright/test';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { hasRedis } from '../../scripts/lib/services.mjs';
import { freshEmail, NEW_PASSWORD } from '../support/account-journeys';
import { startAppPair, type AppPair } from '../support/app-pair';
import { CookieJar, post } from '../support/client';
import { codeIn, mailsBesidesAlerts, wrongCode } from '../support/mail';
import type { Endpoints } from '../../scripts/lib/stack.mjs';

/** Starts two processes with one Redis and one proxy, without a browser. */
const test = base.extend<object, { pair: AppPair }>({
  pair: [
    async ({}, use) => {
      const pair = await startAppPair(JSON.parse(process.env.E2E_ENDPOINTS ?? '{}') as Endpoints);
      await use(pair);
      await pair.stop();
    },
    { scope: 'worker', timeout: 300_000 },
  ],
});
test.describe.configure({ mode: 'serial' });
test.skip(!hasRedis(), 'There is no redis-server on the PATH.');

/** Creates a user who has requested a reset code. */
async function waitingForCode({ accounts, endpoints, newClient, origin }: AppPair) {
  const { email } = await accounts.create();
  const jar = new CookieJar(newClient());
  expect((await jar.post(`${origin}/api/password-reset`, { email })).status).toBe(200);
  const [mail] = await mailsBesidesAlerts(endpoints, email);
  const code = codeIn(mail ?? { text: '' });
  const reset = (typed: string, at = origin, by = jar) =>
    by.post(`${at}/api/password-reset/confirm`, { code: typed, password: NEW_PASSWORD });
  return { jar, code, reset };
}

/** Returns the statuses of a client's guesses of the admin token, which the proxy distributes. */
async function guesses({ origin }: AppPair, client: Record<string, string>, count: number): Promise<number[]> {
  const guess = async (i: number) => {
    const forged = { 'x-forwarded-for': `198.51.100.${String(i)}` };
    const headers = { ...client, ...forged, authorization: 'Bearer not-the-token' };
    return (await fetch(`${origin}/api/admin/get-sentry-json-file`, { headers })).status;
  };
  return Promise.all(Array.from({ length: count }, (_, i) => guess(i)));
}

const readiness = async (origin: string) => {
  const answer = await fetch(`${origin}/api/health/ready`);
  return [answer.status, ((await answer.json()) as { redis?: string }).redis];
};

test('the proxy distributes requests between both processes', async ({ pair }) => {
  const served = await Promise.all(
    Array.from({ length: 6 }, async () => (await fetch(`${pair.origin}/api/health/live`)).headers.get('x-served-by')),
  );
  expect(new Set(served).size).toBe(2);
});

test('attempts for a code are counted across both', async ({ pair }) => {
  const { code, reset } = await waitingForCode(pair);
  for (const triesLeft of [4, 3, 2, 1, 0])
    expect((await reset(wrongCode(code))).body).toMatchObject({ code: 'code-wrong', triesLeft });
  for (const process of pair.each) expect((await reset(code, process)).body).toMatchObject({ code: 'code-locked' });
});

test('a code works for one of many concurrent requests', async ({ pair }) => {
  const { jar, code, reset } = await waitingForCode(pair);
  const answers = await Promise.all(Array.from({ length: 5 }, () => reset(code, pair.origin, jar.copy())));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  const refused = answers.filter(({ status }) => status !== 200).map(({ body }) => body?.code);
  expect(refused).toEqual(Array<string>(4).fill('code-used'));
});

test('a session ended by one process is ended at both', async ({ pair }) => {
  const cookie = await pair.signIn();
  for (const process of pair.each) expect(await pair.check(process, cookie)).toBe(200);
  await post(`${pair.origin}/api/initiate-logout`, { cookie, headers: pair.newClient() });
  for (const process of pair.each) expect(await pair.check(process, cookie)).toBe(401);
});

test('a rate limit applies across both, whatever address the client claims', async ({ pair }) => {
  const statuses = await guesses(pair, pair.newClient(), 40);
  expect(statuses.filter((status) => status === 403)).toHaveLength(30);
  expect(statuses.filter((status) => status === 429)).toHaveLength(10);
  expect(await guesses(pair, pair.newClient(), 1)).toEqual([403]);
});

test('sign-in works during an outage of Redis, and afterwards state is shared again', async ({ pair }) => {
  const [stays, leaves] = [await pair.signIn(), await pair.signIn()];
  const waiting = await waitingForCode(pair);
  await pair.redis.stop();

  for (const process of pair.each) await expect.poll(() => readiness(process)).toEqual([200, 'down']);
  for (const process of pair.each) expect(await pair.check(process, stays)).toBe(200);
  const meanwhile = await Promise.all([pair.signIn(), pair.signIn(), pair.signIn()]);
  for (const cookie of meanwhile) expect(await pair.check(pair.origin, cookie)).toBe(200);
  expect((await waiting.reset(waiting.code)).status).toBe(200);
  // Each process enforces its own rate limit, so a client gets at most twice the attempts.
  const statuses = await guesses(pair, pair.newClient(), 80);
  expect(statuses.filter((status) => status === 403)).toHaveLength(60);
  const [first, second] = pair.each;
  await post(`${first}/api/initiate-logout`, { cookie: leaves, headers: pair.newClient() });
  expect(await pair.check(first, leaves)).toBe(401);

  await pair.redis.start();
  for (const process of pair.each)
    await expect.poll(() => readiness(process), { timeout: 60_000 }).toEqual([200, 'up']);
  await expect
    .poll(
      async () => {
        await pair.check(first, stays);
        return pair.check(second, leaves);
      },
      { timeout: 60_000 },
    )
    .toBe(401);
  for (const process of pair.each) expect(await pair.check(process, stays)).toBe(200);
  const again = await guesses(pair, pair.newClient(), 40);
  expect(again.filter((status) => status === 403)).toHaveLength(30);
  const { code, reset } = await waitingForCode(pair);
  expect((await reset(wrongCode(code))).body).toMatchObject({ triesLeft: 4 });
  expect((await reset(wrongCode(code))).body).toMatchObject({ triesLeft: 3 });
});

/** Sends a registration whose body has two halves. The second is sent on demand. */
function slowRegistration(origin: string, headers: Record<string, string>) {
  const body = JSON.stringify({ name: 'Mia Moreau', email: freshEmail(), password: NEW_PASSWORD });
  const call = request(`${origin}/api/registration`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
  });
  const answer = new Promise<{ status: number; body: unknown }>((resolve, reject) => {
    call.once('error', reject);
    call.once('response', (response) =>
      resolve(json(response).then((body) => ({ status: response.statusCode ?? 0, body }))),
    );
  });
  const begun = new Promise<void>((resolve) => call.write(body.slice(0, 20), () => resolve()));
  return { begun, answer, finish: () => call.end(body.slice(20)) };
}

test('on shutdown a process finishes its requests and accepts no new ones', async ({ pair }) => {
  const [, second] = pair.each;
  const service = pair.services[1];
  const underWay = slowRegistration(second, pair.newClient());
  await underWay.begun;
  // Its response follows the half registration, so the server has received that request, too.
  await fetch(`${second}/api/health/live`);

  process.kill(service?.pid ?? 0, 'SIGTERM');
  await expect.poll(() => fetch(`${second}/api/health/live`).catch(() => 'refused')).toBe('refused');
  expect(service?.isRunning()).toBe(true);
  // Clients of the proxy are not affected.
  for (let i = 0; i < 4; i += 1) expect((await fetch(`${pair.origin}/sign-in`)).status).toBe(200);

  underWay.finish();
  expect(await underWay.answer).toMatchObject({ status: 200, body: { resendAfter: 30 } });
  expect(await service?.exited).toBe(0);
});
