// ASVS: 6.2.12
// Threats: breached-password, dependency-failure
import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { isBreached } from '@/lib/server/accounts/breached-passwords';
import { checkBreachedPasswords } from '@/cli/doctor/services';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { readMetrics } from '@/lib/server/runtime/observability/metrics';
import { openSession, post } from '../support/client';
import { codeIn } from '../support/mail';
import { startRangeService } from '../support/range-service';
import { NEW_PASSWORD, oobCodeIn, Recovery } from '../support/recovery';
import { startRoutesProcess } from '../support/served-routes';
import { fetchIdToken } from '../support/test-users';

const BREACHED = 'harbour-violin-19';

const recovery = new Recovery();
let service: Awaited<ReturnType<typeof startRangeService>>;
beforeAll(async () => {
  service = await startRangeService([BREACHED, 'password']);
  process.env.BREACHED_PASSWORDS_URL = service.url;
});
beforeEach(waitForAnswers);
// Files share a process.
afterEach(() => void vi.restoreAllMocks());
afterEach(() => service.fail(null));
afterAll(() => service.stop());

/** Removes the limit of half a second, because a busy machine may take longer. */
function waitForAnswers() {
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal);
}
/** Removes the limit in another process. */
const WAITS_FOR_ANSWERS = '--import=data:text/javascript,AbortSignal.timeout=()=>new%20AbortController().signal';

const register = (password: string) =>
  recovery.jar.post(`${recovery.app.origin}/api/registration`, {
    name: 'Mia Moreau',
    email: `b-${Math.random()}@campus.test`,
    password,
  });
const count = async (result: string) =>
  Number(
    new RegExp(`breached_password_checks_total\\{result="${result}"\\} (\\d+)`).exec((await readMetrics()).text)?.[1] ??
      0,
  );
const refused = { status: 400, body: expect.objectContaining({ code: 'password-breached' }) as unknown };

describe('a breached password is refused', () => {
  test('at registration; the service learns five digits of its hash', async () => {
    const before = service.asked.length;
    expect(await register(BREACHED)).toMatchObject(refused);
    const [call, ...others] = service.asked.slice(before);
    expect(others).toEqual([]);
    expect(call?.path).toMatch(/^\/range\/[\dA-F]{5}$/);
    expect(call?.headers).toMatchObject({ 'add-padding': 'true', 'user-agent': 'learner-identity' });
    expect(call?.headers.cookie ?? call?.headers.traceparent).toBeUndefined();
    expect(await register(NEW_PASSWORD)).toMatchObject({ status: 200 });
  });

  test('by code and by link, which stay usable', async () => {
    await recovery.ask();
    const mail = await recovery.lastMail();
    expect(await recovery.reset(codeIn(mail), BREACHED)).toMatchObject(refused);
    expect(await recovery.resetByLink(oobCodeIn(mail), BREACHED)).toMatchObject(refused);
    expect((await recovery.reset(codeIn(mail), NEW_PASSWORD)).status).toBe(200);
  });

  test('in the settings, and as the first one of a legacy account', async () => {
    const { origin } = recovery.app;
    const cookie = await openSession(origin, await fetchIdToken(recovery.user));
    const body = { current: recovery.user.password, password: BREACHED };
    expect(await post(`${origin}/api/account/password`, { cookie, body })).toMatchObject(refused);
    await getIdentityAdmin().setCustomUserClaims(recovery.user.uid, { legacy: true });
    const first = await startRoutesProcess({
      NEXT_PUBLIC_ROLLOUT_MODE: 'V3FirstLogin',
      NODE_OPTIONS: WAITS_FOR_ANSWERS,
    });
    const token = await fetchIdToken(recovery.user);
    expect(
      await post(`${first.origin}/api/account/first-password`, { body: { token, password: BREACHED } }),
    ).toMatchObject(refused);
    await first.stop();
  });
});

test('neither tracing headers nor the address of a lookup leave this process', async () => {
  const { addBreadcrumb, getIsolationScope } = await import('@sentry/nextjs');
  const { startSentry } = await import('@/sentry.server.config');
  startSentry({ dsn: 'http://key@localhost:9/1', environment: 'test', release: 'test' });
  addBreadcrumb({ message: 'recorded' });
  const before = service.asked.length;
  expect(await isBreached(BREACHED)).toBe(true);
  const [call] = service.asked.slice(before);
  expect(call?.headers).toBeDefined();
  for (const name of ['sentry-trace', 'baggage', 'traceparent']) expect(call?.headers).not.toHaveProperty(name);
  const { breadcrumbs } = getIsolationScope().getScopeData();
  expect(JSON.stringify(breadcrumbs)).toContain('recorded');
  expect(JSON.stringify(breadcrumbs)).not.toContain('/range/');
});

test('padding is no breach', async () => {
  service.fail((res) => void res.end(`${'0'.repeat(35)}:0\r\n`));
  const before = await count('not_found');
  expect(await register(BREACHED)).toMatchObject({ status: 200 });
  expect(await count('not_found')).toBe(before + 1);
});

describe('a service that fails accepts the password, and is counted', () => {
  test.each<[string, (res: ServerResponse) => void]>([
    ['an error', (res) => void res.writeHead(503).end()],
    ['a redirect', (res) => void res.writeHead(302, { location: 'http://localhost:9/' }).end()],
    ['a broken connection', (res) => void res.destroy()],
    ['no response', () => undefined],
    ['a response that never ends', (res) => void res.writeHead(200).write('0'.repeat(35))],
    ['an endless one', (res) => void res.end('0'.repeat(2_000_000))],
  ])('%s', async (_what, fault) => {
    vi.restoreAllMocks();
    service.fail(fault);
    const before = await count('failed');
    expect(await register(BREACHED)).toMatchObject({ status: 200 });
    expect(await count('failed')).toBe(before + 1);
    // The bundled list still applies.
    expect((await register('password1')).body).toMatchObject({ code: 'password-common' });
  });
});

test('the doctor says whether the service works', async () => {
  expect(await checkBreachedPasswords()).toMatchObject({ state: 'works', action: null });
  service.fail((res) => void res.writeHead(503).end());
  expect(await checkBreachedPasswords()).toMatchObject({ state: 'does not work', detail: 'HTTP 503' });
  service.fail(() => undefined);
  vi.restoreAllMocks();
  expect(await checkBreachedPasswords()).toMatchObject({ state: 'does not work', detail: 'TimeoutError' });
  waitForAnswers();
  service.fail((res) => void res.end('0018A45C4D1DEF81644B54AB7F969B88D65:1'));
  expect((await checkBreachedPasswords()).detail).toContain('does not know the most common password');
});
