import { createServer, IncomingMessage, ServerResponse, type Server } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import type { GetServerSideProps, GetServerSidePropsContext, GetServerSidePropsResult } from 'next';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { env } from '@/lib/server/runtime/config/env';
import { connectErrorSink } from '@/lib/shared/error-reporting/report';
import { createPageProps, getUnknownPageProps, SHARED_CACHE_CONTROL } from './page';

/** An identity host that can be slow or broken. */
let behavior: 'healthy' | 'slow' | 'broken' = 'healthy';
let identityHost: Server;
const reports: unknown[] = [];

beforeAll(async () => {
  identityHost = createServer(({ url = '' }, res) => {
    if (behavior === 'slow') return;
    if (url.includes('invented')) return void res.writeHead(404).end();
    res
      .writeHead(behavior === 'healthy' ? 200 : 500)
      .end('{"brandName":"Upstream","logo":7,"termsUrl":"https://campus.example/terms"}');
  });
  await new Promise<void>((resolve) => identityHost.listen(0, '127.0.0.1', resolve));
  process.env.UPSTREAM_IDENTITY_URL = `http://127.0.0.1:${(identityHost.address() as AddressInfo).port}`;
  process.env.FIREBASE_AUTH_EMULATOR_HOST = 'localhost:9';
  connectErrorSink(({ error }) => reports.push(error));
});
beforeEach(() => {
  reports.length = 0;
});
afterAll(() => {
  identityHost.closeAllConnections();
  identityHost.close();
});

async function open(
  getProps: GetServerSideProps,
  host = 'localhost:3000',
  resolvedUrl = '/sign-in',
  query: Record<string, string> = {},
) {
  const req = Object.assign(new IncomingMessage(new Socket()), { cookies: {} });
  req.headers.host = host;
  const res = new ServerResponse(req);
  const context: GetServerSidePropsContext = { req, res, query, resolvedUrl };
  const result: GetServerSidePropsResult<Record<string, unknown>> = await getProps(context);
  const props = 'props' in result ? await result.props : {};
  return { result, res, props, cacheControl: res.getHeader('cache-control') };
}

/**
 * Opens a page once the identity host has responded, because a busy process takes longer than a page waits. @param
 * cacheControl header of a page with that response
 */
function openInTime(getProps: ReturnType<typeof createPageProps>, host: string, cacheControl = SHARED_CACHE_CONTROL) {
  const check = async () => {
    const opened = await open(getProps, host);
    expect(opened.props.appConfig).not.toEqual({ status: 'late' });
    expect(opened.cacheControl).toBe(cacheControl);
    return opened;
  };
  return vi.waitFor(check);
}

test('contains the config of the origin, and can be stored by shared caches', async () => {
  behavior = 'healthy';
  const { props } = await openInTime(createPageProps('/sign-in', { awaitsConfig: true }), 'localhost:3000');
  expect(props.appConfig).toEqual({
    status: 'ready',
    config: { brandName: 'Upstream', termsUrl: 'https://campus.example/terms' },
  });
  expect(props.publicEnv).toMatchObject({ appOrigin: 'http://localhost:3000' });
  expect(reports).toHaveLength(1);
});

test('the config is null, reported and not cached if the identity host fails', async () => {
  behavior = 'broken';
  const getProps = createPageProps('/sign-in', { awaitsConfig: true });
  const { props } = await openInTime(getProps, 'broken.localhost', 'private, no-store');
  expect(props.appConfig).toEqual({ status: 'ready', config: null });
  expect(reports).toHaveLength(1);
});

test('a slow identity host does not delay the page', async () => {
  behavior = 'slow';
  const { props, cacheControl } = await open(createPageProps('/sign-in', { awaitsConfig: true }), 'slow.localhost');
  expect(props.appConfig).toEqual({ status: 'late' });
  expect(cacheControl).toBe('private, no-store');
});

test('a page that works without it goes without the config of a slow identity host', async () => {
  behavior = 'slow';
  const { props, cacheControl } = await open(createPageProps('/sign-out'), 'slow.localhost');
  expect(props.appConfig).toEqual({ status: 'ready', config: null });
  expect(cacheControl).toBe('private, no-store');
});

test('other pages have the look of the origin, too', async () => {
  behavior = 'healthy';
  const { props } = await openInTime(createPageProps('/forget-password'), 'others.localhost');
  expect(props.appConfig).toMatchObject({
    config: { brandName: 'Upstream', termsUrl: 'https://campus.example/terms' },
  });
});

test('an unknown path has the look of the origin', async () => {
  behavior = 'healthy';
  await openInTime(createPageProps('/forget-password'), 'unknown.localhost');
  const { props, cacheControl } = await open(getUnknownPageProps, 'unknown.localhost');
  expect(props).toMatchObject({ appConfig: { config: { brandName: 'Upstream' } } });
  expect(cacheControl).toBe('private, no-store');
});

test('the support desk exists only with operators, and has no configuration', async () => {
  behavior = 'healthy';
  const { OPERATORS_FILE: before } = env();
  const openDesk = () => open(getUnknownPageProps, 'localhost:3000', '/support?uid=mia');
  expect((await openDesk()).res.statusCode).toBe(404);
  Object.assign(env(), { OPERATORS_FILE: '/operators.json' });
  const { res, props, cacheControl } = await openDesk();
  expect([res.statusCode, cacheControl, res.getHeader('x-robots-tag')]).toEqual([200, 'private, no-store', 'noindex']);
  expect(props).toMatchObject({ isSupportDesk: true, texts: { language: 'en' } });
  expect(Object.keys(props).toSorted()).toEqual(['appConfig', 'isSupportDesk', 'texts']);
  const other = await open(getUnknownPageProps, 'localhost:3000', '/support/more');
  expect([other.res.statusCode, other.props.isSupportDesk]).toEqual([404, undefined]);
  Object.assign(env(), { OPERATORS_FILE: before });
});

test('a page that fails has the look of the origin', async () => {
  behavior = 'healthy';
  await openInTime(createPageProps('/forget-password'), 'failing.localhost');
  const error = new Error('out of order');
  const fail = () => Promise.reject(error);
  const { props } = await open(createPageProps('/security', {}, fail), 'failing.localhost');
  expect(props).toMatchObject({ unavailable: true, appConfig: { config: { brandName: 'Upstream' } } });
  expect(reports).toContain(error);
});

test.each(['slow', 'broken'] as const)(
  'other pages do without the config of a %s identity host, and are not cached',
  async (how) => {
    behavior = how;
    const { props, cacheControl } = await open(createPageProps('/forget-password'), `${how}-others.localhost`);
    expect(props.appConfig).toEqual({ status: 'ready', config: null });
    expect(cacheControl).toBe('private, no-store');
  },
);

test.each([{ awaitsConfig: true }, {}] as const)(
  'a page of an unknown origin has no config, and is cached',
  async (options) => {
    const { props, cacheControl } = await open(createPageProps('/sign-in', options), 'a@b');
    expect(props.appConfig).toEqual({ status: 'none' });
    expect(cacheControl).toBe(SHARED_CACHE_CONTROL);
  },
);

test('personal pages are not cached; a loader without personal data keeps the caching', async () => {
  behavior = 'healthy';
  const personal = await open(createPageProps('/security', {}, () => Promise.resolve({ props: { name: 'Lena' } })));
  expect([personal.props.name, personal.cacheControl]).toEqual(['Lena', 'private, no-store']);
  const common = await open(createPageProps('/sign-in', {}, () => Promise.resolve(null)));
  expect(common.cacheControl).toBe(SHARED_CACHE_CONTROL);
  const redirect = { redirect: { destination: '/x', permanent: false } };
  const away = await open(createPageProps('/sign-in', {}, () => Promise.resolve(redirect)));
  expect([away.result, away.cacheControl]).toEqual([redirect, 'private, no-store']);
});

test('invented hosts leave the config of a known one, which an outage of the identity host needs', async () => {
  behavior = 'healthy';
  const getProps = createPageProps('/sign-in', { awaitsConfig: true });
  await openInTime(getProps, 'known.localhost');
  for (let i = 0; i < 600; i += 1) await open(getProps, `invented-${String(i)}.localhost`);
  behavior = 'broken';
  expect((await open(getProps, 'known.localhost')).props.appConfig).toMatchObject({
    config: { brandName: 'Upstream' },
  });
});

test.each([
  [{}, []],
  [{ notification: 'SignedOut' }, ['SignedOut']],
  [{ notification: 'AutoSignOut' }, []],
])('the texts of the notifications of other pages are left out: %j', async (query, own) => {
  const { props } = await open(createPageProps('/sign-in'), 'localhost:3000', '/sign-in', query);
  const { texts } = props as unknown as { texts: { messages: { common: { notifications: object } } } };
  const toasts = ['AutoSignOut', 'AccountConfirmed', 'AutoLoginFailed', 'InviteAccepted'];
  expect(Object.keys(texts.messages.common.notifications).sort()).toEqual([...toasts, ...own].sort());
});
