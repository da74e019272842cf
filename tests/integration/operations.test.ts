// Threats: deployment-interruption
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiFiles } from '@/scripts/lib/api-files.mjs';
import { beginShutdown } from '@/lib/server/runtime/observability/shutdown';
import { post } from '../support/client';
import { fetchIdToken, createTestUser } from '../support/test-users';
import { serveRoutes, type RunningRoutes } from '../support/routes';

const TOKEN = 'an-admin-token-of-some-length';
let app: RunningRoutes;
beforeAll(async () => {
  process.env.ADMIN_TOKEN = TOKEN;
  app = await serveRoutes();
});
afterAll(() => app.close());

const scrape = (authorization?: string) =>
  fetch(`${app.origin}/api/metrics`, { headers: authorization ? { authorization } : {} });

test('metrics contain sign-ins by result, rate limit hits and latencies', async () => {
  const create = (token: string) => post(`${app.origin}/api/create-user-session`, { body: { token } });
  expect((await create(await fetchIdToken(await createTestUser()))).status).toBe(200);
  await create('x.y.z');
  const answer = await scrape(`Bearer ${TOKEN}`);
  expect(answer.headers.get('content-type')).toContain('text/plain');
  const text = await answer.text();
  expect(text).toContain('http_requests_total{route="/api/create-user-session",result="ok"} 1');
  expect(text).toContain('http_requests_total{route="/api/create-user-session",result="token-invalid"} 1');
  expect(text).toContain('http_request_duration_seconds_count{route="/api/create-user-session"} 2');
});

test('every route is counted under its own name, and all unknown paths under one', async () => {
  const paths = apiFiles().map(({ path }) => path);
  const unknown = ['/api/nowhere', '/api/SeCrEt1/a', '/api/registration/SeCrEt1', '/api/config/SeCrEt1', '/api/health'];
  for (const path of [...paths.map((each) => each.replaceAll(/\{\w+\}/g, 'SeCrEt1')), ...unknown])
    await (await fetch(app.origin + path)).arrayBuffer();
  const text = await (await scrape(`Bearer ${TOKEN}`)).text();
  const counted = [...text.matchAll(/^http_request_duration_seconds_count\{route="([^"]*)"\} (\d+)$/gm)];
  const names = paths.map((path) => path.replace(/(?:\/\{\w+\})+$/, ''));
  expect(counted.map(([, route]) => route).toSorted()).toEqual([...names, 'other'].toSorted());
  expect(counted.find(([, route]) => route === 'other')?.[2]).toBe(String(unknown.length));
  expect(text).not.toContain('SeCrEt1');
});

test.each([
  [undefined, 401],
  ['Bearer another-token-of-that-length', 403],
])('refuses %s', async (authorization, status) => {
  expect((await scrape(authorization)).status).toBe(status);
});

test('the process is live, and ready until it shuts down', async () => {
  const get = async (path: string) => {
    const answer = await fetch(app.origin + path);
    return [answer.status, await answer.json()] as const;
  };
  expect(await get('/api/health/live')).toEqual([200, { status: 'live' }]);
  expect(await get('/api/health/ready')).toEqual([200, { status: 'ready', redis: 'not configured', database: 'up' }]);
  beginShutdown();
  expect(await get('/api/health/ready')).toEqual([503, expect.objectContaining({ code: 'shutting-down' })]);
  expect(await get('/api/health/live')).toEqual([200, { status: 'live' }]);
});
