import { randomUUID } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { parseSetCookie } from 'cookie';
import type { GetServerSidePropsContext } from 'next';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readMetrics } from '@/lib/server/runtime/observability/metrics';
import { loadFirstLogin, loadPartnerStart, redirectWhenSignedIn } from '@/lib/server/web/sign-in-pages';
import { createPageProps } from '@/lib/server/web/page';
import { openSession, post } from '../support/client';
import { fetchIdToken, fetchOrganizationIdToken, createTestUser } from '../support/test-users';
import { serveRoutes, type RunningRoutes } from '../support/routes';

process.env.NEXT_PUBLIC_ROLLOUT_MODE = 'V3FirstLogin';
let app: RunningRoutes;
let live: string;
beforeAll(async () => {
  app = await serveRoutes();
  live = await openSession(app.origin, await fetchIdToken(await createTestUser()));
});
afterAll(() => app.close());

const DASHBOARD = 'http://localhost:3001/user/dashboard';

type Visit = {
  query?: Record<string, string | string[]>;
  cookies?: Record<string, string>;
  referer?: string;
  page?: string;
  /** `Sec-Fetch-Site` */
  site?: string;
};

async function visit(
  { query = {}, cookies = {}, referer, site, page = '/sign-in' }: Visit,
  load = redirectWhenSignedIn,
) {
  const req = Object.assign(new IncomingMessage(new Socket()), { cookies });
  if (referer) req.headers.referer = referer;
  if (site) req.headers['sec-fetch-site'] = site;
  const res = new ServerResponse(req);
  const context: GetServerSidePropsContext = { req, res, query, resolvedUrl: page };
  const result = await load(context);
  const set = [res.getHeader('set-cookie') ?? []].flat().flatMap((header) => parseSetCookie(String(header)) ?? []);
  return { result, cookies: Object.fromEntries(set.map((cookie) => [cookie.name, cookie])) };
}

const signedIn = (visited: Visit = {}): Promise<Awaited<ReturnType<typeof visit>>> =>
  visit({ ...visited, cookies: { '_secure-user-session': live, ...visited.cookies } });
const to = (destination: string) => ({ redirect: { destination, permanent: false } });

test('without a session cookie the page contains no personal data', async () => {
  expect((await visit({ query: { redirect_uri: DASHBOARD } })).result).toBeNull();
});

test('an ended session shows the form', async () => {
  const cookie = await openSession(app.origin, await fetchIdToken(await createTestUser()));
  await post(`${app.origin}/api/initiate-logout`, { cookie });
  expect((await visit({ cookies: { '_secure-user-session': cookie } })).result).toEqual({ props: {} });
  expect((await visit({ cookies: { '_secure-user-session': 'a.b.c' } })).result).toEqual({ props: {} });
});

test.each<[string, Visit, string]>([
  ['nothing', {}, DASHBOARD],
  ['a redirect_uri', { query: { redirect_uri: 'http://localhost:3001/lesson' } }, 'http://localhost:3001/lesson'],
  ['a kept callback', { cookies: { callbackUrl: 'http://localhost:3001/kept' } }, 'http://localhost:3001/kept'],
  ['a referrer', { referer: 'http://localhost:3001/from' }, 'http://localhost:3001/from'],
  [
    'a redirect_uri and a kept callback',
    { query: { redirect_uri: 'http://localhost:3001/new' }, cookies: { callbackUrl: 'http://localhost:3001/old' } },
    'http://localhost:3001/new',
  ],
  ['a hostile redirect_uri', { query: { redirect_uri: 'https://evil.example' } }, DASHBOARD],
  ['two of them', { query: { redirect_uri: ['http://localhost:3001/a', 'http://localhost:3001/b'] } }, DASHBOARD],
  ['a hostile cookie', { cookies: { callbackUrl: 'https://evil.example' } }, DASHBOARD],
  ['our own address', { query: { redirect_uri: 'http://localhost:3000/security' } }, DASHBOARD],
  ['the name of an own page', { query: { return_to: 'security' } }, '/security'],
  ['an address for a name', { query: { return_to: '//evil.example' } }, DASHBOARD],
])('a live session is redirected at once, with %s', async (_name, visited, destination) => {
  const { result, cookies } = await signedIn(visited);
  expect(result).toEqual(to(destination));
  expect(cookies['callback-bounces']).toMatchObject({ maxAge: 30, secure: true });
});

describe('an address without a callback', () => {
  const home = 'http://localhost:3001/';
  const lesson = 'http://localhost:3001/lesson';
  const marked = { kk_logged_in: '1' };
  const kept = { ...marked, callbackUrl: lesson };

  test.each<[string, Visit]>([
    ['', { cookies: marked }],
    [', with one of whichever tab came last', { cookies: kept }],
    [', with a referrer', { cookies: kept, referer: home }],
    [' for an organization', { cookies: kept, page: '/sign-in/enterprise?x=1' }],
    [', from another site', { cookies: kept, site: 'cross-site' }],
    [' of /registration', { cookies: kept, page: '/registration' }],
  ])('is left to the tab, which keeps its own%s', async (_name, visited) => {
    const { result, cookies } = await signedIn(visited);
    expect(result).toEqual({ props: {} });
    expect(cookies).toEqual({});
  });

  test('of a page that does not lead there leads to one that does', async () => {
    const page = '/sign-in/second-factor?theme=dark';
    const { result, cookies } = await signedIn({ page, query: { theme: 'dark' }, cookies: kept });
    expect(result).toEqual(to('/sign-in?theme=dark'));
    expect(cookies).toEqual({});
  });

  test.each<[string, Visit, string]>([
    ['with a redirect_uri', { referer: home, cookies: kept, query: { redirect_uri: DASHBOARD } }, DASHBOARD],
    ['with the name of a page', { referer: home, cookies: kept, query: { return_to: 'security' } }, '/security'],
    ['when it is typed, or a bookmark', { cookies: kept, site: 'none' }, lesson],
    ['without a mark for the browser to act on', { referer: home, cookies: { callbackUrl: lesson } }, home],
  ])('is decided here %s', async (_name, visited, destination) => {
    expect((await signedIn(visited)).result).toEqual(to(destination));
  });
});

describe("a partner's link", () => {
  const open = (session: string) =>
    visit(
      { query: { partner: 'acme', redirect_uri: DASHBOARD }, cookies: { '_secure-user-session': session } },
      loadPartnerStart,
    );

  test('goes on with a session that this partner opened', async () => {
    const token = await fetchOrganizationIdToken('oidc.acme', `${randomUUID()}@partner.test`);
    expect((await open(await openSession(app.origin, token))).result).toEqual(to(DASHBOARD));
  });

  test('leads to the partner with any other: it can be of another account', async () => {
    const { result, cookies } = await open(live);
    expect(result).toEqual({ props: { partner: { name: 'Acme', provider: 'oidc.acme' } } });
    expect(cookies.oidc_original_callback_url?.value).toBe(DASHBOARD);
  });
});

test('a first password that is due is asked for in the session of another account, too', async () => {
  const cookies = { '_secure-user-session': live };
  const isDue = { ...cookies, 'legacy-user-status': 'legacy' };
  expect((await visit({ cookies: isDue }, loadFirstLogin)).result).toEqual({ props: {} });
  expect((await visit({ cookies }, loadFirstLogin)).result).toEqual(to(DASHBOARD));
});

test('the stored callback is cleared, and a purchase is remembered', async () => {
  const redirect_uri = 'http://localhost:3001/buy?source=b2c-purchase';
  const { cookies } = await signedIn({ query: { redirect_uri }, cookies: { callbackUrl: DASHBOARD } });
  expect(cookies.callbackUrl).toMatchObject({ value: '', maxAge: 0 });
  expect(cookies['direct-purchase-token']?.value).toBe('1');
});

test('the third return within 30 s ends on the redirect loop page', async () => {
  let bounces: string | undefined;
  for (let i = 0; i < 3; i += 1) {
    const { result, cookies } = await signedIn({ cookies: bounces ? { 'callback-bounces': bounces } : {} });
    expect(result).toEqual(to(DASHBOARD));
    bounces = cookies['callback-bounces']?.value;
  }
  expect((await signedIn({ cookies: { 'callback-bounces': bounces ?? '' } })).result).toEqual({
    props: { bounced: true },
  });
});

test('rejected callbacks are counted by rule', async () => {
  const counted = async () =>
    (await readMetrics()).text.match(/^callbacks_refused_total{rule="foreign-host"} (\d+)$/m)?.[1];
  const before = Number((await counted()) ?? 0);
  const openPage = async (query: Record<string, string>) => {
    const req = Object.assign(new IncomingMessage(new Socket()), { cookies: {} });
    const context = { req, res: new ServerResponse(req), query, resolvedUrl: '/registration' };
    await createPageProps('/registration', {}, redirectWhenSignedIn)(context);
  };
  await openPage({ redirect_uri: 'https://evil.example/secret' });
  await openPage({});
  expect(await counted()).toBe(String(before + 1));
  expect((await readMetrics()).text).not.toContain('rule="missing"');
});
