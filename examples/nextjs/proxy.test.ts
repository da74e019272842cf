// Threats: open-redirect
import { NextRequest } from 'next/server';
import { expect, it } from 'vitest';
import { proxy } from './proxy.js';

it.each([
  [undefined, '/dashboard'],
  ['/learn', '/learn/dashboard'],
])('with the base path %s, a learner comes back to %s', async (basePath, page) => {
  const request = new NextRequest(`http://localhost:3001${page}?tab=a`, {
    nextConfig: { ...(basePath && { basePath }) },
  });
  const location = new URL((await proxy(request)).headers.get('location') ?? '');
  expect(location.searchParams.get('redirect_uri')).toBe(`http://localhost:3001${page}?tab=a`);
});
