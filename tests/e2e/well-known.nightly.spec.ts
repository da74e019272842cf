import { expect, test } from '../support/fixtures';
import { startOtherApp } from '../../scripts/lib/stack.mjs';
import { submitSignIn } from '../support/journeys';

test('security.txt names the operator’s contact, and is not there without one', async ({ endpoints, request }) => {
  expect((await request.get(`${endpoints.appOrigin}/.well-known/security.txt`)).status()).toBe(404);
  const expires = new Date(Date.now() + 30 * 86_400_000).toISOString();
  const app = await startOtherApp(endpoints, {
    SECURITY_CONTACT: 'mailto:security@campus.example,https://campus.example/report',
    SECURITY_CONTACT_EXPIRES: expires,
    SECURITY_CONTACT_LANGUAGES: 'en,de',
  });
  try {
    const address = `${app.endpoints.appOrigin}/.well-known/security.txt`;
    const answer = await request.get(address, { headers: { origin: 'https://elsewhere.example' } });
    expect(answer.headers()).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'access-control-allow-origin': '*',
    });
    expect((await answer.text()).split('\n')).toEqual([
      'Contact: mailto:security@campus.example',
      'Contact: https://campus.example/report',
      `Expires: ${expires}`,
      `Canonical: ${address}`,
      'Preferred-Languages: en, de',
      '',
    ]);
    const metrics = await request.get(`${app.endpoints.appOrigin}/api/metrics`, {
      headers: { authorization: `Bearer ${app.endpoints.adminToken}` },
    });
    expect(await metrics.text()).toMatch(/^security_contact_expiry_timestamp_seconds \d{10}/m);
  } finally {
    await app.stop();
  }
});

test('the files for apps and other origins follow from the configuration, and are not there without it', async ({
  endpoints,
  request,
}) => {
  const fingerprint = Array.from({ length: 32 }, () => '0A').join(':');
  const app = await startOtherApp(endpoints, {
    PASSKEY_ORIGINS: 'https://id.other.example',
    APPLE_APP_IDS: 'ABCDE12345.example.campus.app',
    ANDROID_APPS: `example.campus.app/${fingerprint}`,
  });
  const relation = ['delegate_permission/common.get_login_creds'];
  const files = {
    webauthn: { origins: ['https://id.other.example'] },
    'apple-app-site-association': { webcredentials: { apps: ['ABCDE12345.example.campus.app'] } },
    'assetlinks.json': [
      { relation, target: { namespace: 'web', site: app.endpoints.appOrigin } },
      {
        relation,
        target: {
          namespace: 'android_app',
          package_name: 'example.campus.app',
          sha256_cert_fingerprints: [fingerprint],
        },
      },
    ],
  };
  try {
    for (const [name, content] of Object.entries(files)) {
      const path = `/.well-known/${name}`;
      const missing = await request.get(endpoints.appOrigin + path, { maxRedirects: 0 });
      expect([missing.status(), missing.headers()['cache-control']], path).toEqual([404, 'no-store']);
      const answer = await request.get(app.endpoints.appOrigin + path, { maxRedirects: 0 });
      expect([answer.status(), await answer.json()], path).toEqual([200, content]);
      expect(answer.headers(), path).toMatchObject({
        'content-type': 'application/json',
        'cache-control': 'public, max-age=3600',
      });
      expect(answer.headers()['set-cookie'], path).toBeUndefined();
    }
  } finally {
    await app.stop();
  }
});

test('a password manager finds where passkeys are added, also when it must sign in first', async ({
  page,
  endpoints,
  request,
  user,
}) => {
  const answer = await request.get(`${endpoints.appOrigin}/.well-known/passkey-endpoints`, { maxRedirects: 0 });
  expect([answer.status(), answer.headers()['content-type']]).toEqual([200, 'application/json']);
  const { enroll, manage } = (await answer.json()) as Record<'enroll' | 'manage', string>;
  expect([new URL(enroll).origin, manage]).toEqual([endpoints.appOrigin, enroll]);
  await page.goto(enroll);
  await submitSignIn(page, user);
  await expect(page.getByRole('button', { name: 'Add a passkey' })).toBeVisible();
});

// Checks whether this host's status codes are reliable (A Well-Known URL for Changing Passwords, section 4).
test('a well-known resource that does not exist is not found', async ({ endpoints, request }) => {
  const path = '/.well-known/resource-that-should-not-exist-whose-status-code-should-not-be-200';
  for (const name of [path, '/.well-known/', '/.well-known/security.txt/x', '/.well-known/change-password/x'])
    expect((await request.get(endpoints.appOrigin + name)).status(), name).toBe(404);
});
