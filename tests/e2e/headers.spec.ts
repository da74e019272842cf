// ASVS: 3.2.1, 3.4.1, 3.4.3, 3.4.4, 3.4.5, 3.4.6, 3.7.1
// Threats: xss, clickjacking
import { test as plain } from '@playwright/test';
import { expect, test, watchPolicy } from '../support/fixtures';
import { pageReady, getScriptUrls, getSignInUrl } from '../support/journeys';
import type { Endpoints } from '../../scripts/lib/stack.mjs';

const EVERYWHERE = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': /^(no-referrer|strict-origin-when-cross-origin)$/,
  'permissions-policy': /camera=\(\)/,
  'strict-transport-security': /max-age=\d{8}/,
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin-allow-popups',
  'content-security-policy': /base-uri 'none'; object-src 'none'; frame-ancestors 'none'/,
};
const PAGES = ['/sign-in', '/sign-in/enterprise', '/registration', '/forget-password', '/app-shell', '/actions'];
const OTHERS = [
  ...['/api/health/live', '/api/check-auth-status', '/api/nowhere', '/api/metrics', '/monitoring'],
  ...['/.well-known/security.txt', '/.well-known/change-password', '/.well-known/webauthn'],
  ...['/mark.svg', '/nowhere', '/partner-auth/initiate', '/_next/static/nowhere.js'],
  // A redirect to sign-in, and an invalid path.
  ...['/user/courses', '/%E0%A4%A'],
];
/** The helper's frame and window need different values of these two headers. */
const NOT_THE_HELPER = ['x-frame-options', 'cross-origin-opener-policy'];

test('every response has the security headers', async ({ endpoints, request }) => {
  const html = await (await request.get(getSignInUrl(endpoints))).text();
  const [script = 'none'] = getScriptUrls(html);
  for (const path of [...PAGES, ...OTHERS, script, '/__/auth/handler']) {
    const headers = (await request.get(endpoints.appOrigin + path, { maxRedirects: 0 })).headers();
    const isHelper = path.startsWith('/__/');
    for (const [name, value] of Object.entries(EVERYWHERE))
      if (!isHelper || !NOT_THE_HELPER.includes(name)) expect.soft(headers[name], `${path}: ${name}`).toMatch(value);
    expect(headers['content-security-policy']).not.toMatch(/unsafe-|\bwss?:| \*/);
  }
});

test('the redirect of a trailing slash, made by the framework before headers, contains only its target', async ({
  endpoints,
  request,
}) => {
  const answer = await request.get(`${endpoints.appOrigin}/sign-in/`, { maxRedirects: 0 });
  expect([answer.status(), await answer.text()]).toEqual([308, '/sign-in']);
});

test('every response has an id, never one that the client chose', async ({ endpoints, request }) => {
  const pages = ['/sign-in', '/security', '/nowhere'];
  const calls = ['/api/health/live', '/api/check-auth-status', '/api/nowhere', '/api/health', '/monitoring', '/__/x'];
  for (const path of [...pages, ...calls]) {
    const answer = await request.get(endpoints.appOrigin + path, {
      headers: { 'x-request-id': 'mine' },
      maxRedirects: 0,
    });
    expect.soft(answer.headers()['x-request-id'], path).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
  }
});

test('a page lists the hashes of its inline code, and stays cacheable', async ({ endpoints, request }) => {
  const [first, second] = [await request.get(getSignInUrl(endpoints)), await request.get(getSignInUrl(endpoints))];
  expect(first.headers()['content-security-policy']).toMatch(/script-src 'self' 'sha256-[^']+'/);
  expect(second.headers()['content-security-policy']).toBe(first.headers()['content-security-policy']);
  expect(await second.text()).toBe(await first.text());
  expect(first.headers()['cache-control']).toBe('s-maxage=300, stale-while-revalidate=59');
});

test('a brand’s colors pass the policy, at once and on a later page', async ({ page, endpoints }) => {
  const port = new URL(endpoints.appOrigin).port;
  const accent = () => page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--accent'));
  await page.goto(`http://acme.localhost:${port}/partner-auth/initiate?theme=light`);
  await pageReady(page);
  expect(await accent()).toBe('#b3261e');
  await page.evaluate(() => Object.assign(window, { sameDocument: true }));
  await page.getByRole('main').getByRole('link').click();
  await expect.poll(accent).toBe('#b3261e');
  expect(await page.evaluate(() => 'sameDocument' in window)).toBe(true);
});

plain('what a policy does not name does not run, and is noticed', async ({ page, context }) => {
  const endpoints = JSON.parse(process.env.E2E_ENDPOINTS ?? '{}') as Endpoints;
  const found: string[] = [];
  await watchPolicy(context, found);
  await page.goto(getSignInUrl(endpoints));
  await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'globalThis.injected = true';
    document.body.append(script);
  });
  await expect.poll(() => found.join()).toContain('script-src-elem blocked inline');
  expect(await page.evaluate(() => 'injected' in globalThis)).toBe(false);
});
