import { readFileSync } from 'node:fs';
import { expect, test } from '../support/fixtures';
import { getScriptUrls } from '../support/journeys';

const rows = [...readFileSync('docs/deploy/caches.md', 'utf8').matchAll(/^\| `([^`]+)` \| (`\/.+) \|$/gm)];
const expected = Object.fromEntries(
  rows.flatMap(([, caching = '', routes = '']) =>
    [...routes.matchAll(/`(\/[^`]*)`/g)].map(([, route = '']) => [route, caching]),
  ),
);

test('responses have the caching headers of docs/deploy/caches.md', async ({ endpoints }) => {
  expect(Object.keys(expected).length).toBeGreaterThan(20);
  const page = await (await fetch(`${endpoints.appOrigin}/sign-in`)).text();
  const [script = 'none'] = getScriptUrls(page);
  const examples: Record<string, string> = {
    '/_next/static/…': script,
    '/api/config/by-origin/{origin}': `/api/config/by-origin/${encodeURIComponent(endpoints.appOrigin)}`,
    '/api/…': '/api/health/live',
  };
  // Polled, because a page whose app config is late on a busy machine is not cached.
  await expect(async () => {
    const actual: Record<string, string | null> = {};
    for (const route of Object.keys(expected)) {
      // Sends no cookies, because a cookie from an earlier response makes a page personal.
      const answer = await fetch(endpoints.appOrigin + (examples[route] ?? route), { redirect: 'manual' });
      actual[route] = answer.headers.get('cache-control');
    }
    expect(actual).toEqual(expected);
  }).toPass();
});
