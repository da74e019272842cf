// tests/e2e/well-known.spec.ts tests them at their real addresses.
import { expect, test } from 'vitest';
import { servedRoutes } from '../support/served-routes';

const fingerprint = Array.from({ length: 32 }, () => '0A').join(':');
process.env.PASSKEY_ORIGINS = 'https://id.other.example';
process.env.APPLE_APP_IDS = 'ABCDE12345.example.campus.app';
process.env.ANDROID_APPS = `example.campus.app/${fingerprint}`;

const app = servedRoutes();

const relation = ['delegate_permission/common.get_login_creds'];
const android = { package_name: 'example.campus.app', sha256_cert_fingerprints: [fingerprint] };

test.each([
  ['related-origins', { origins: ['https://id.other.example'] }],
  [
    'passkeys',
    {
      enroll: 'http://localhost:3000/security?part=sign-in',
      manage: 'http://localhost:3000/security?part=sign-in',
    },
  ],
  ['apple-app-site-association', { webcredentials: { apps: ['ABCDE12345.example.campus.app'] } }],
  [
    'asset-links',
    [
      { relation, target: { namespace: 'web', site: 'http://localhost:3000' } },
      { relation, target: { namespace: 'android_app', ...android } },
    ],
  ],
])('%s is public JSON for an hour', async (name, content) => {
  const answer = await fetch(`${app.origin}/api/${name}`, { headers: { origin: 'https://elsewhere.example' } });
  expect([answer.status, await answer.json()]).toEqual([200, content]);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'application/json',
    'cache-control': 'public, max-age=3600',
    'access-control-allow-origin': '*',
  });
  expect(answer.headers.getSetCookie()).toEqual([]);
});
