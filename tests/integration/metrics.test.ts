// Threats: dependency-failure
import { randomUUID } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { makeGate } from '../../scripts/lib/gate.mjs';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { hasRedis, startRedis } from '../../scripts/lib/services.mjs';
import packageFile from '@/package.json';
import { COUNTED_KINDS } from '@/lib/server/launch';
import { readConfigFiles } from '@/lib/server/policy';
import { env } from '@/lib/server/runtime';
import { startMetrics } from '@/lib/server/runtime/observability/metrics';
import { getStore } from '@/lib/server/storage/store';
import { nextSecond, openSession, post } from '../support/client';
import { setProviderHost } from '../support/provider';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { createTestUser, fetchIdToken } from '../support/test-users';
import { serveRoutes, type RunningRoutes } from '../support/routes';

const ADMIN_TOKEN = 'an-admin-token-of-some-length';
const originsFile = path.join(mkdtempSync(path.join(os.tmpdir(), 'metrics-')), 'origins.json');
let app: RunningRoutes;
let provider: ReturnType<typeof makeGate>;
let mailServer: ReturnType<typeof makeGate>;
let redisPort = 0;

beforeAll(async () => {
  const [providerPort = 0, mailPort = 0, free = 0] = await freePorts(3);
  redisPort = free;
  provider = makeGate({ port: providerPort, target: Number(process.env.FIREBASE_AUTH_EMULATOR_HOST?.split(':')[1]) });
  mailServer = makeGate({ port: mailPort, target: Number(new URL(process.env.SMTP_URL ?? '').port) });
  await Promise.all([provider.open(), mailServer.open()]);
  writeFileSync(originsFile, '{ "origins": {} }');
  Object.assign(process.env, {
    ADMIN_TOKEN,
    SMTP_URL: `smtp://127.0.0.1:${mailPort}`,
    ORIGINS_FILE: originsFile,
    NEXT_PUBLIC_RELEASE: 'abc1234',
    ...(hasRedis() && { REDIS_URL: `redis://127.0.0.1:${redisPort}` }),
  });
  await setProviderHost(provider.url);
  startMetrics(COUNTED_KINDS, () => readConfigFiles(env()));
  app = await serveRoutes();
});
afterAll(async () => {
  await app.close();
  await Promise.all([provider.close(), mailServer.close()]);
});

/** Reads the value of a series. Undefined if the process does not have it. */
async function read(series: string): Promise<number | undefined> {
  const answer = await fetch(`${app.origin}/api/metrics`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });
  expect(answer.status).toBe(200);
  const line = (await answer.text()).split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}
const register = () =>
  post(`${app.origin}/api/registration`, {
    body: { name: 'Mia Moreau', email: `${randomUUID()}@campus.test`, password: 'quiet-lantern-42' },
  });

test('the process, its event loop and its build are described', async () => {
  expect(await read('process_resident_memory_bytes')).toBeGreaterThan(1_000_000);
  expect(await read('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
  expect(await read(`build_info{version="${packageFile.version}",commit="abc1234"}`)).toBe(1);
});

test('refusals are counted by the rule that refused: one code stands for many', async () => {
  const user = await createTestUser();
  const token = await fetchIdToken(user);
  const open = () => post(`${app.origin}/api/create-user-session`, { body: { token } });
  await nextSecond();
  await getIdentityAdmin().revokeRefreshTokens(user.uid);
  expect((await open()).body).toMatchObject({ code: 'token-revoked' });
  expect(await read('refusals_total{rule="revoked-since-proof"}')).toBe(1);
  await getIdentityAdmin().updateUser(user.uid, { disabled: true });
  expect((await open()).body).toMatchObject({ code: 'user-disabled' });
  expect(await read('refusals_total{rule="disabled-account"}')).toBe(1);
  expect(await read('refusals_total{rule="revoked-since-proof"}')).toBe(1);
});

test('sign-ins are counted by method and result', async () => {
  await openSession(app.origin, await fetchIdToken(await createTestUser()));
  await post(`${app.origin}/api/create-user-session`, { body: { token: 'x.y.z' } });
  expect(await read('sign_ins_total{method="password",result="ok"}')).toBe(1);
  expect(await read('sign_ins_total{method="unknown",result="token-invalid"}')).toBe(1);
  const created = 'identity_provider_request_duration_seconds_count{operation="createSessionCookie",result="ok"}';
  expect(await read(created)).toBe(1);
});

test('an outage of the identity provider is seen in calls that fail, and its end in one that succeeds', async () => {
  const cookie = await openSession(app.origin, await fetchIdToken(await createTestUser()));
  const check = () => post(`${app.origin}/api/check-auth-status`, { cookie });
  expect(await read('dependency_up{dependency="identity_provider"}')).toBe(1);
  await provider.close();
  expect((await check()).status).toBe(503);
  expect(await read('dependency_up{dependency="identity_provider"}')).toBe(0);
  const failed =
    'identity_provider_request_duration_seconds_count{operation="verifySessionCookie",result="unavailable"}';
  expect(await read(failed)).toBe(1);
  await provider.open();
  expect((await check()).status).toBe(200);
  expect(await read('dependency_up{dependency="identity_provider"}')).toBe(1);
});

test('a forged cookie or token is no outage of the identity provider', async () => {
  await openSession(app.origin, await fetchIdToken(await createTestUser()));
  const forged = `${Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')}.${Buffer.from('{').toString('base64url')}.`;
  expect((await post(`${app.origin}/api/check-auth-status`, { cookie: forged })).body?.code).toBe('token-invalid');
  expect((await post(`${app.origin}/api/create-user-session`, { body: { token: forged } })).status).toBe(401);
  expect((await post(`${app.origin}/api/initiate-logout`, { cookie: forged })).status).toBe(200);
  expect(await read('dependency_up{dependency="identity_provider"}')).toBe(1);
});

test('emails are counted by kind and result', async () => {
  expect(await read('dependency_up{dependency="mail"}')).toBeUndefined();
  expect((await register()).status).toBe(200);
  // Sent behind the response.
  await expect.poll(() => read('emails_total{kind="confirm",result="sent"}')).toBe(1);
  expect(await read('dependency_up{dependency="mail"}')).toBe(1);
  await mailServer.close();
  // Polled, because the process remembers for five seconds that the mail server responds. Until then, it accepts
  // emails.
  await expect.poll(async () => (await register()).body?.code).toBe('mail-unavailable');
  const failed = async () => (await read('emails_total{kind="confirm",result="failed"}')) ?? 0;
  await expect.poll(failed).toBeGreaterThanOrEqual(1);
  // Several emails have been accepted, and each is tried separately.
  await expect.poll(() => read('emails_in_progress')).toBe(0);
  expect(await read('dependency_up{dependency="mail"}')).toBe(0);
  // Polled, because failed emails are retried, and another can fail between the two reads.
  const missing = async () => 1 + (await failed()) - ((await read('email_send_duration_seconds_count')) ?? 0);
  await expect.poll(missing).toBe(0);
  await mailServer.open();
});

test('a configuration file that cannot be used leaves the time of the last one that could', async () => {
  const loaded = 'config_file_last_reload_success_timestamp_seconds{file="ORIGINS_FILE"}';
  const first = await read(loaded);
  expect(first).toBeGreaterThan(Date.now() / 1000 - 600);
  expect(await read('config_file_problems{file="ORIGINS_FILE"}')).toBe(0);
  writeFileSync(originsFile, '{ "origins": ');
  expect(await read('config_file_problems{file="ORIGINS_FILE"}')).toBe(1);
  expect(await read(loaded)).toBe(first);
  writeFileSync(originsFile, '{ "origins": {} }\n');
  await vi.waitFor(async () => expect(await read(loaded)).toBeGreaterThan(first ?? 0));
  expect(await read('config_file_problems{file="ORIGINS_FILE"}')).toBe(0);
});

test.skipIf(!hasRedis())('Redis is down until it can be reached', async () => {
  expect(await read('dependency_up{dependency="redis"}')).toBe(0);
  const redis = await startRedis({ port: redisPort, dir: path.dirname(originsFile) });
  const up = async () => {
    await getStore().get('any');
    return read('dependency_up{dependency="redis"}');
  };
  await expect.poll(up).toBe(1);
  await redis.stop();
  await expect.poll(up).toBe(0);
});
