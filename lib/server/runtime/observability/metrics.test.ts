import { describe, expect, it } from 'vitest';
import { recoveryEmailPaths } from '@/lib/shared/account/recovery-email';
import { apiPaths, sessionApiPaths } from '@/lib/shared/api-paths';
import { passkeyPaths } from '@/lib/shared/security-paths';
import { secondFactorPaths } from '@/lib/shared/security-paths';
import { serverPaths } from '@/lib/shared/paths';
import { supportPaths } from '@/lib/shared/support/desk';
import { securityApiPaths } from '@/lib/shared/security-paths';
import { apiFiles } from '@/scripts/lib/api-files.mjs';
import { getRouteName, readMetrics, startMetrics, UNKNOWN_ROUTE } from './metrics';

process.env.FIREBASE_AUTH_EMULATOR_HOST = 'localhost:9';

it.each([
  ['/api/check-auth-status', '/api/check-auth-status'],
  ['/api/registration/resend?token=SeCrEt1', '/api/registration/resend'],
  ['/api/health/ready', '/api/health/ready'],
  ['/api/health', 'other'],
  ['/monitoring', '/api/monitoring'],
  ['/.well-known/security.txt', '/api/security-txt'],
  ['/.well-known/webauthn', '/api/related-origins'],
  ['/.well-known/passkey-endpoints', '/api/passkeys'],
  ['/.well-known/apple-app-site-association', '/api/apple-app-site-association'],
  ['/.well-known/assetlinks.json?x=1', '/api/asset-links'],
  ['/.well-known/other', 'other'],
  ['/__/auth/handler?code=SeCrEt1', '/api/auth-helper'],
  ['/api/auth-helper/auth/iframe', '/api/auth-helper'],
  ['/api/SeCrEt1', 'other'],
  ['/api/registrationSeCrEt1', 'other'],
  ['SeCrEt1', 'other'],
  ['', 'other'],
])('%s is named %s', (url, name) => {
  expect(getRouteName(url)).toBe(name);
});

describe('every file in pages/api', () => {
  const routes = apiFiles().map(({ path, file }) => ({ file, path, name: path.replace(/(?:\/\{\w+\})+$/, '') }));

  // A new route gets its name from an entry in lib/shared/*-paths.ts or lib/shared/paths.ts.
  it.each(routes)('$file has its own name: $name', ({ path, name }) => {
    expect(getRouteName(path.replaceAll(/\{\w+\}/g, 'SeCrEt1'))).toBe(name);
    expect(getRouteName(`${path.replaceAll(/\{\w+\}/g, 'a/b')}?x=SeCrEt1`)).toBe(name);
  });

  it('shares its name with no other', () => {
    const names = routes.map(({ name }) => name);
    expect(names.length).toBeGreaterThan(30);
    expect(new Set([...names, UNKNOWN_ROUTE]).size).toBe(names.length + 1);
  });

  it('exists for every name: a removed route leaves no name', () => {
    const groups = [
      apiPaths,
      sessionApiPaths,
      securityApiPaths,
      passkeyPaths,
      recoveryEmailPaths,
      secondFactorPaths,
      serverPaths,
      supportPaths,
    ];
    const named = groups.flatMap((group) => Object.values(group));
    expect(named.toSorted()).toEqual(routes.map(({ name }) => name).toSorted());
  });
});

it('counts from 0 what alerts count, so that the first event of a kind is an increase', async () => {
  startMetrics({ notices: ['account.deleted'], emails: ['confirm'], directives: ['img-src'] }, () =>
    Promise.resolve([]),
  );
  const { text } = await readMetrics();
  expect(text.split('\n')).toEqual(
    expect.arrayContaining([
      'notices_total{kind="account.deleted",result="failed"} 0',
      'emails_total{kind="confirm",result="failed"} 0',
      'emails_total{kind="confirm",result="refused"} 0',
      'csp_violations_total{directive="img-src"} 0',
      'http_requests_total{route="/api/registration",result="internal-error"} 0',
      'http_requests_total{route="other",result="internal-error"} 0',
      'http_requests_total{route="/api/check-auth-status",result="token-revoked"} 0',
      'http_requests_total{route="/api/admin/accounts",result="admin-token-wrong"} 0',
      'http_requests_total{route="/api/admin/accounts/actions",result="admin-token-wrong"} 0',
      'limits_hit_total{limit="support-look-up"} 0',
      'limits_hit_total{limit="support-action"} 0',
    ]),
  );
});
