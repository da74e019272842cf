import { NextRequest } from 'next/server';
import { expect, test } from 'vitest';
import { middleware } from './middleware';

const ask = (path: string, cookie = '') =>
  middleware(new NextRequest(`http://localhost:3000${path}`, { headers: cookie ? { cookie } : {} }));

test.each([
  ['/security', 'security'],
  ['/user/courses', 'courses'],
  ['/user/courses/algebra?x=1', 'courses'],
  ['/account-settings/change-password', 'change-password'],
  ['/security?theme=dark&notification=InviteExpired&x=1', 'security&theme=dark&notification=InviteExpired'],
  ['/user/courses?utm_source=mail&x=1&utm_medium=a%26b', 'courses&utm_source=mail&utm_medium=a%26b'],
])('%s sends an anonymous visitor to sign-in and back by name', (path, name) => {
  const { status, headers } = ask(path);
  expect(status).toBe(307);
  expect(headers.get('location')).toBe(`http://localhost:3000/sign-in?return_to=${name}`);
  expect(headers.get('cache-control')).toBe('no-store');
});

test.each(['/sign-in', '/securityx', '/api/check-auth-status', '/no-such-page'])('%s needs no session', (path) => {
  expect(ask(path).headers.get('location')).toBeNull();
});

test.each([
  ['/', '/sign-in'],
  ['/?redirect_uri=https%3A%2F%2Fx.test', '/sign-in?redirect_uri=https%3A%2F%2Fx.test'],
  ['/Sign-In', '/sign-in'],
  ['/SECURITY?x=1', '/security?x=1'],
])('%s, as people type it, leads to %s', (path, page) => {
  const { status, headers } = ask(path);
  expect([status, headers.get('location')]).toEqual([307, `http://localhost:3000${page}`]);
});

test.each(['/no-such-page', '/Sign-In/nowhere', '/Api/health/live'])('%s is not found', (path) => {
  expect(ask(path).headers.get('location')).toBeNull();
});

test('with a session cookie the request reaches the page', () => {
  expect(ask('/security', '_secure-user-session=x').headers.get('location')).toBeNull();
  expect(ask('/security', '_secure-user-session=').status).toBe(307);
  // Also where another one is empty, in any order.
  expect(ask('/security', '_secure-user-session=x; _secure-user-session=').headers.get('location')).toBeNull();
  expect(ask('/security', '_secure-user-session=; _secure-user-session=x').headers.get('location')).toBeNull();
  expect(ask('/security', 'x_secure-user-session=x').status).toBe(307);
});

test('every response has its own id', () => {
  const ids = ['/sign-in', '/security', '/sign-in'].map((path) => ask(path).headers.get('x-request-id'));
  expect(new Set(ids).size).toBe(3);
  expect(ids[0]).toMatch(/^[\da-f-]{36}$/);
});

test.each([
  ['/monitoring?o=1', '/api/monitoring?o=1'],
  ['/.well-known/security.txt', '/api/security-txt'],
  ['/.well-known/webauthn', '/api/related-origins'],
  ['/.well-known/passkey-endpoints', '/api/passkeys'],
  ['/.well-known/apple-app-site-association', '/api/apple-app-site-association'],
  ['/.well-known/assetlinks.json', '/api/asset-links'],
  ['/.well-known/oauth-authorization-server/api/oidc', '/api/oidc/.well-known/openid-configuration'],
  ['/.well-known/openid-configuration/api/oidc', '/api/oidc/.well-known/openid-configuration'],
  ['/.well-known/oauth-authorization-server', '/api/oidc/.well-known/openid-configuration'],
  ['/__/auth/handler?x=1', '/api/auth-helper/auth/handler?x=1'],
  ['/__/firebase/init.json', '/api/auth-helper/firebase/init.json'],
])('%s is rewritten to %s', (path, route) => {
  expect(ask(path).headers.get('x-middleware-rewrite')).toBe(`http://localhost:3000${route}`);
});

test('the well-known address of the password change redirects, without its query', () => {
  const { status, headers } = ask('/.well-known/change-password?x=1');
  expect([status, headers.get('location')]).toEqual([303, 'http://localhost:3000/security']);
  expect(headers.get('cache-control')).toBe('no-store');
});

test.each([
  '/.well-known/security.txt/x',
  '/.well-known/SECURITY.TXT',
  '/.well-known/webauthn/x',
  '/.well-known/openid-configuration/api/other',
  '/apple-app-site-association',
  '/monitoring/x',
  '/__/authx',
  '/__/other/x',
  '/x/__/auth/handler',
])('%s is not proxied', (path) => {
  expect(ask(path).headers.get('x-middleware-rewrite')).toBeNull();
});

const getRewrite = ({ headers }: Response) => [
  headers.get('x-middleware-rewrite'),
  headers.get('x-middleware-request-x-page-query'),
];

test.each(['/sign-in', '/sign-in/enterprise', '/registration', '/forget-password', '/self-check'])(
  '%s is rendered without its query, which the server gets in a header',
  (path) => {
    expect(getRewrite(ask(`${path}?redirect_uri=https%3A%2F%2Fx.test&lang=de`))).toEqual([
      `http://localhost:3000${path}`,
      '?redirect_uri=https%3A%2F%2Fx.test&lang=de',
    ]);
    expect(getRewrite(ask(path))).toEqual([null, null]);
  },
);

test.each([
  ['with a session', '/sign-in?x=1', { cookie: '_secure-user-session=x' }],
  ['as data of an in-app navigation', '/sign-in?x=1', { 'x-nextjs-data': '1' }],
  ['of a page that reads it', '/registration/confirm?flow=x', {}],
])('a query %s stays', (_case, path, headers) => {
  const sent = { ...headers, 'x-page-query': '?lang=de' };
  const answer = middleware(new NextRequest(`http://localhost:3000${path}`, { headers: sent }));
  // A client cannot send the header itself.
  expect(getRewrite(answer)).toEqual([null, null]);
  expect(answer.headers.get('x-middleware-override-headers')).not.toContain('x-page-query');
});
