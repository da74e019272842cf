// Threats: code-leak
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { startOtherApp } from '../../../scripts/lib/stack.mjs';
import { createAccountsClient } from '../../support/accounts-client';
import { startErrorService } from '../../support/error-service';
import { openSession, post } from '../../support/client';
import { listen } from '../../support/listen';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
type Line = Record<string, unknown> & { msg: string };

let app: Awaited<ReturnType<typeof startOtherApp>>;
let platform: Awaited<ReturnType<typeof listen>>;
let errors: Awaited<ReturnType<typeof startErrorService>>;
const received: IncomingHttpHeaders[] = [];
let platformBody = '{"courses":[]}';

beforeAll(async () => {
  platform = await listen((req, res) => {
    received.push(req.headers);
    res.setHeader('content-type', 'application/json');
    res.end(platformBody);
  });
  errors = await startErrorService();
  app = await startOtherApp(inject('endpoints'), {
    TRUSTED_PROXY_HOPS: '1',
    PLATFORM_API_URL: `http://127.0.0.1:${platform.port}`,
    NEXT_PUBLIC_SENTRY_DSN: errors.dsn,
  });
}, 240_000);
afterAll(async () => {
  await app.stop();
  await Promise.all([platform.stop(), errors.stop()]);
});

const logText = () => readFileSync(app.logFile, 'utf8');
const readLines = () =>
  logText()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
const getLines = (requestId: string) => readLines().filter((line) => line.requestId === requestId);

async function signIn() {
  const accounts = createAccountsClient(inject('endpoints'));
  const user = await accounts.create();
  const origin = { origin: app.endpoints.appOrigin };
  return { user, origin, cookie: await openSession(app.endpoints.appOrigin, await accounts.idToken(user), origin) };
}

test('every line is JSON from the first one, the banner of the framework included', () => {
  const [first, ...others] = readLines();
  expect(first).toMatchObject({ source: 'console', msg: expect.stringContaining('Next.js') as string });
  expect(others.map(({ msg }) => msg)).toContain('started');
  expect(logText()).not.toContain('\u001b');
});

test('one id leads from the proxy through the log to the response', async () => {
  const { user, cookie } = await signIn();
  const requestId = randomUUID();
  const address = `${app.endpoints.appOrigin}/api/check-auth-status`;
  const headers = { 'x-request-id': requestId, traceparent: `00-${TRACE}-${PARENT}-01` };
  const answer = await post(`${address}?token=SeCrEt1`, { cookie, headers });
  expect([answer.status, answer.headers.get('x-request-id')]).toEqual([200, requestId]);
  await vi.waitFor(() => expect(getLines(requestId)).toHaveLength(1));
  const [line] = getLines(requestId);
  expect(line).toMatchObject({
    ...{ level: 30, msg: 'answered', traceId: TRACE, method: 'POST', route: '/api/check-auth-status' },
    ...{
      status: 200,
      result: 'ok',
      ms: expect.any(Number) as number,
      account: expect.stringMatching(/^[\da-f]{16}$/) as string,
    },
  });
  expect(logText()).not.toContain('SeCrEt1');
  for (const secret of [user.uid, user.email, cookie]) expect(JSON.stringify(readLines())).not.toContain(secret);

  const refused = await post(address, { headers: { 'x-request-id': 'proxy-0001' } });
  await vi.waitFor(() => expect(getLines('proxy-0001')).toHaveLength(1));
  expect(getLines('proxy-0001')[0]).toMatchObject({
    status: refused.status,
    result: 'session-required',
    msg: 'refused',
  });
  expect(getLines('proxy-0001')[0]).not.toHaveProperty('account');
});

test('the same account has the same hash in another request, and another account another', async () => {
  const [lena, mia] = [await signIn(), await signIn()];
  const ask = async ({ cookie }: { cookie: string }) => {
    const answer = await post(`${app.endpoints.appOrigin}/api/check-auth-status`, { cookie });
    const id = answer.headers.get('x-request-id') ?? '';
    await vi.waitFor(() => expect(getLines(id)).toHaveLength(1));
    return getLines(id)[0]?.account;
  };
  const hashes = [await ask(lena), await ask(lena), await ask(mia)];
  expect(hashes[1]).toBe(hashes[0]);
  expect(hashes[2]).not.toBe(hashes[0]);
});

test.each(['short', 'x'.repeat(65), 'with space in it', 'lena@campus.test', '{"level":60,"msg":"x"}'])(
  'an id like %j is replaced, even from the proxy',
  async (sent) => {
    for (const path of ['/api/health/live', '/sign-in']) {
      const answer = await fetch(app.endpoints.appOrigin + path, { headers: { 'x-request-id': sent } });
      expect(answer.headers.get('x-request-id')).toMatch(UUID);
    }
    expect(logText()).not.toContain(sent);
  },
);

test('pages return the id, too', async () => {
  const sent = randomUUID();
  const page = await fetch(`${app.endpoints.appOrigin}/sign-in`, { headers: { 'x-request-id': sent } });
  expect(page.headers.get('x-request-id')).toBe(sent);
});

test('without a proxy no id of a caller is used, and its trace is continued', async () => {
  const { appOrigin } = inject('endpoints');
  const headers = { 'x-request-id': randomUUID(), traceparent: `00-${TRACE.replace('4', 'a')}-${PARENT}-00` };
  for (const path of ['/api/health/live', '/sign-in']) {
    const id = (await fetch(appOrigin + path, { headers })).headers.get('x-request-id');
    expect(id).toMatch(UUID);
    expect(id).not.toBe(headers['x-request-id']);
  }
  const text = () => readFileSync(inject('appLog'), 'utf8');
  await vi.waitFor(() => expect(text()).toContain(`"traceId":"${TRACE.replace('4', 'a')}"`));
});

test('a malformed traceparent starts a new trace', async () => {
  const requestId = randomUUID();
  const headers = { 'x-request-id': requestId, traceparent: `00-${'0'.repeat(32)}-${PARENT}-01`, tracestate: 'a=b' };
  await fetch(`${app.endpoints.appOrigin}/api/health/live`, { headers });
  await vi.waitFor(() => expect(getLines(requestId)).toHaveLength(1));
  expect(getLines(requestId)[0]?.traceId).toMatch(/^(?!0+$)[\da-f]{32}$/);
});

test('a call to the platform continues the trace, and its failure is logged and reported with the same ids', async () => {
  const { cookie } = await signIn();
  const ask = (requestId: string) =>
    fetch(`${app.endpoints.appOrigin}/api/user/courses`, {
      headers: {
        ...{ cookie: `_secure-user-session=${cookie}`, 'x-request-id': requestId },
        ...{ traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: 'vendor=value' },
      },
    });
  const [good, bad] = [randomUUID(), randomUUID()];
  expect((await ask(good)).status).toBe(200);
  const sent = received.at(-1);
  expect(sent).toMatchObject({ 'x-request-id': good, tracestate: 'vendor=value' });
  expect(sent?.traceparent).toMatch(new RegExp(`^00-${TRACE}-(?!${PARENT})[\\da-f]{16}-01$`));

  platformBody = 'no JSON';
  expect((await ask(bad)).status).toBe(503);
  platformBody = '{"courses":[]}';
  await vi.waitFor(() => expect(getLines(bad)).toHaveLength(2));
  for (const line of getLines(bad))
    expect(line).toMatchObject({ traceId: TRACE, account: expect.any(String) as string });
  expect(getLines(bad)[0]).toMatchObject({ level: 50, msg: 'unexpected error' });
  await vi.waitFor(
    () =>
      expect(errors.errors.map(({ tags }) => tags)).toContainEqual(
        expect.objectContaining({ request_id: bad, trace_id: TRACE }),
      ),
    10_000,
  );
  const report = errors.errors.find(({ tags }) => (tags as Record<string, string>).request_id === bad);
  expect((report?.tags as Record<string, string>).account).toBe(getLines(bad)[0]?.account);
});

test('the problems of a configuration are JSON lines, too', async () => {
  const started = startOtherApp(inject('endpoints'), { LOG_LEVEL: 'loud', NEXT_PUBLIC_MAIN_DOMAIN: 'UPPER' });
  const output = String(
    await started.then(
      () => 'it started',
      (error: unknown) => (error as Error).message,
    ),
  );
  const lines = output
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line) as Line);
  const problems = lines.filter(({ level }) => level === 60);
  expect(problems.map(({ variable }) => variable).sort()).toEqual(['LOG_LEVEL', 'NEXT_PUBLIC_MAIN_DOMAIN']);
  expect(problems[0]).toMatchObject({
    msg: 'the configuration cannot be used',
    problem: expect.stringMatching(/^must /) as string,
  });
});
