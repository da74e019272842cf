// ASVS: 3.2.2, 3.4.3
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { parseEnv, getPublicEnv } from '@/lib/server/runtime/config/env';
import { paths, providerPages } from '@/lib/shared/paths';
import { reachedFiles } from '@/tests/support/reached-files';
import { productFiles } from '@/tests/support/text-keys';
import { DEVELOPMENT_SOURCES, buildContentSecurityPolicy, toMetaPolicy } from './content-security-policy';
import { PRIVATE_KEY } from '@/tests/support/private-key';
const production = getPublicEnv(
  parseEnv({
    NEXT_PUBLIC_MAIN_DOMAIN: 'campus.example',
    NEXT_PUBLIC_APP_ORIGIN: 'https://id.campus.example',
    DATABASE_URL: 'postgres://identity@localhost:9/identity',
    NEXT_PUBLIC_PLATFORM_ORIGIN: 'https://learn.campus.example',
    FIREBASE_CLIENT_EMAIL: 'admin@campus.example',
    FIREBASE_PRIVATE_KEY: PRIVATE_KEY,
    TOKEN_ENCRYPTION_SECRET: Buffer.alloc(32, 7).toString('base64'),
    NEXT_PUBLIC_MIXPANEL_TOKEN: 'token',
  }),
);
const none = { scripts: [], styles: [] };

it('allows neither inline code nor eval', () => {
  expect(buildContentSecurityPolicy(production, none, '/sign-in')).not.toMatch(/unsafe-|\*/);
  expect(buildContentSecurityPolicy(null, none, '/404')).not.toMatch(/unsafe-|\*|google/);
});

describe('the development policy', () => {
  afterEach(() => vi.unstubAllEnvs());
  const developmentOnly = /unsafe-|\bwss?:|'strict-dynamic'| \*|nonce-/;
  const url = fc.webUrl({ validSchemes: ['http', 'https'] }).map((address) => new URL(address).origin);
  const nullable = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
  const anyEnv = fc.record({
    ...Object.fromEntries(Object.entries(production).map(([name, value]) => [name, fc.constant(value)])),
    appOrigin: url,
    identityOrigin: url,
    platformOrigin: url,
    firebase: fc.record({
      ...Object.fromEntries(Object.entries(production.firebase).map(([name, value]) => [name, fc.constant(value)])),
      authDomain: fc.domain(),
      emulatorUrl: nullable(url),
    }),
    mixpanel: nullable(fc.record({ token: fc.constant('token'), apiHost: nullable(url) })),
    sentry: nullable(fc.constant({ dsn: 'https://key@errors.example/1', environment: 'development', release: 'dev' })),
  }) as fc.Arbitrary<typeof production>;
  const pages = [...Object.values(paths), '/404'];

  it.each(['production', 'test', '', 'Development', 'development '])(
    'is in no policy when NODE_ENV is "%s"',
    (mode) => {
      vi.stubEnv('NODE_ENV', mode);
      fc.assert(
        fc.property(nullable(anyEnv), fc.constantFrom(...pages), (env, page) => {
          const policy = buildContentSecurityPolicy(env, { scripts: ["'sha256-a'"], styles: ["'sha256-b'"] }, page);
          expect(policy).not.toMatch(developmentOnly);
          for (const source of Object.values(DEVELOPMENT_SOURCES).flat())
            expect(policy.split(/[ ;]+/)).not.toContain(source);
        }),
      );
    },
  );

  it('applies in development, instead of the hashes that would disable it', () => {
    vi.stubEnv('NODE_ENV', 'development');
    const policy = buildContentSecurityPolicy(null, { scripts: ["'sha256-a'"], styles: ["'sha256-b'"] }, '/404');
    expect(policy).toContain("script-src 'self' 'unsafe-inline' 'unsafe-eval';");
    expect(policy).toContain("style-src 'self' 'unsafe-inline';");
    expect(policy).toContain("connect-src 'self' ws:;");
    expect(policy).toContain("frame-ancestors 'none'");
  });
});

it('allows the support desk only this host', () => {
  const policy = buildContentSecurityPolicy(null, { scripts: ["'sha256-a'"], styles: [] }, '/support');
  const directives = Object.fromEntries(
    policy.split('; ').map((text): [string, string] => [text.split(' ')[0] ?? '', text.slice(text.indexOf(' ') + 1)]),
  );
  expect(directives).toEqual({
    'default-src': "'none'",
    'script-src': "'self' 'sha256-a'",
    'style-src': "'self'",
    'img-src': "'self'",
    'font-src': "'none'",
    'manifest-src': "'none'",
    'connect-src': "'self'",
    'frame-src': "'none'",
    'worker-src': "'none'",
    'form-action': "'none'",
    'base-uri': "'none'",
    'object-src': "'none'",
    'frame-ancestors': "'none'",
    'report-uri': '/api/csp-report',
    'report-to': 'csp',
  });
});

it('allows inline code by its hash', () => {
  const policy = buildContentSecurityPolicy(
    production,
    { scripts: ["'sha256-a'"], styles: ["'sha256-b'"] },
    '/forget-password',
  );
  expect(policy).toContain("script-src 'self' 'sha256-a';");
  expect(policy).toContain("style-src 'self' 'sha256-b';");
});

describe('the sign-in helper', () => {
  const directive = (page: string, name: string, env = production) =>
    buildContentSecurityPolicy(env, none, page)
      .split('; ')
      .find((text) => text.startsWith(`${name} `));

  it.each(providerPages)('is allowed on %s', (page) => {
    expect(directive(page, 'script-src')).toBe(
      "script-src 'self' https://apis.google.com/js/api.js https://apis.google.com/_/scs/abc-static/_/js/",
    );
    expect(directive(page, 'frame-src')).toBe("frame-src 'self'");
  });

  it.each(Object.values(paths).filter((path) => !providerPages.includes(path)))('is not allowed on %s', (page) => {
    expect(directive(page, 'script-src')).toBe("script-src 'self'");
    expect(directive(page, 'frame-src')).toBe("frame-src 'none'");
  });

  it('is allowed from the host of the provider or from the emulator', () => {
    const firebase = { ...production.firebase, authDomain: 'demo.firebaseapp.com' };
    expect(directive('/sign-in', 'frame-src', { ...production, firebase })).toBe(
      'frame-src https://demo.firebaseapp.com',
    );
    const emulated = { ...firebase, emulatorUrl: 'http://localhost:9099' };
    expect(directive('/sign-in', 'frame-src', { ...production, firebase: emulated })).toBe(
      'frame-src https://demo.firebaseapp.com http://localhost:9099',
    );
  });

  it('is allowed on every page that can use a provider, and on no other', () => {
    const sources = productFiles();
    const pages = [...sources.keys()].filter((file) => /^pages\/(?!api\/|_).*\.tsx$/.test(file));
    const using = pages.filter((page) =>
      reachedFiles(page, sources).has('lib/browser/auth/provider/federated-provider.ts'),
    );
    const routes = using.map((page) => page.replace(/^pages|(\/index)?\.tsx$/g, ''));
    expect(routes.sort()).toEqual([...providerPages].sort());
  });
});

it('allows connections to the configured services only', () => {
  const connect = buildContentSecurityPolicy(production, none, '/sign-in')
    .split('; ')
    .find((d) => d.startsWith('connect-src'));
  expect(connect).toBe(
    "connect-src 'self' https://identitytoolkit.googleapis.com https://securetoken.googleapis.com https://api-js.mixpanel.com",
  );
});

it('upgrades requests if the app is served over https', () => {
  expect(buildContentSecurityPolicy(production, none, '/sign-in')).toContain('upgrade-insecure-requests');
});

it('contains only directives that a meta element supports', () => {
  expect(toMetaPolicy(buildContentSecurityPolicy(null, none, '/404'))).not.toMatch(/frame-ancestors|report/);
});
