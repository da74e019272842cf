import { mkdtempSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { expect, it, vi } from 'vitest';
import { parseEnv } from './env';
import { SECRETS } from './schema';
import { PRIVATE_KEY } from '@/tests/support/private-key';

const dir = mkdtempSync(path.join(os.tmpdir(), 'secrets-'));
const write = (name: string, content: string) => {
  writeFileSync(path.join(dir, name), content);
  return path.join(dir, name);
};
const production = {
  NEXT_PUBLIC_APP_ORIGIN: 'https://id.campus.example',
  NEXT_PUBLIC_MAIN_DOMAIN: 'campus.example',
  NEXT_PUBLIC_PLATFORM_ORIGIN: 'https://learn.campus.example',
  FIREBASE_CLIENT_EMAIL: 'app@campus.example',
};
const secrets: Record<(typeof SECRETS)[number], string> = {
  FIREBASE_PRIVATE_KEY: PRIVATE_KEY,
  TOKEN_ENCRYPTION_SECRET: Buffer.alloc(32, 7).toString('base64'),
  SECOND_FACTOR_SECRET: Buffer.alloc(32, 8).toString('base64'),
  REDIS_URL: 'redis://:password@redis:6379',
  DATABASE_URL: 'postgres://app:password@postgres/app',
  ADMIN_TOKEN: 'an-admin-token-of-some-length',
  SMTP_URL: 'smtps://user:password@mail.campus.example',
  WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 9).toString('base64')}`,
  OIDC_PAIRWISE_SECRET: Buffer.alloc(32, 10).toString('base64'),
};

it('reads every secret from a file', () => {
  const files = Object.fromEntries(SECRETS.map((name) => [`${name}_FILE`, write(name, `${secrets[name]}\n`)]));
  expect(parseEnv({ ...production, ...files })).toMatchObject({
    ...secrets,
    TOKEN_ENCRYPTION_SECRET: [secrets.TOKEN_ENCRYPTION_SECRET],
    SECOND_FACTOR_SECRET: [secrets.SECOND_FACTOR_SECRET],
    REDIS_URL: [secrets.REDIS_URL],
    WEBHOOK_SECRET: [secrets.WEBHOOK_SECRET],
  });
});

it('refuses a file that cannot be read, and a secret that is given twice', () => {
  const twice = {
    ...secrets,
    SMTP_URL_FILE: write('smtp', secrets.SMTP_URL),
    ADMIN_TOKEN_FILE: '/nowhere/token',
    ADMIN_TOKEN: '',
  };
  expect(() => parseEnv({ ...production, ...twice })).toThrow(
    expect.objectContaining({
      problems: [
        'ADMIN_TOKEN_FILE: /nowhere/token cannot be read (ENOENT)',
        'SMTP_URL: is given twice, by itself and by SMTP_URL_FILE',
      ],
    }),
  );
});

it.each(SECRETS.flatMap((name) => ['', ' \n\n'].map((content) => [name, content] as const)))(
  'refuses an empty file of %s: %j',
  (name, content) => {
    const others = Object.fromEntries(Object.entries(secrets).filter(([other]) => other !== name));
    const variables = { ...production, ...others, [`${name}_FILE`]: write('empty', content) };
    expect(() => parseEnv(variables)).toThrow(`  ${name}_FILE: the file of ${name} is empty`);
  },
);

it.each([
  '# openssl rand -base64 24',
  'behind a token # openssl',
  'token-with-a-comment#openssl',
  'in two\tparts of the line',
  'one:that-no-bearer-header-has',
  'one-that-no-header-has-äöü',
])('refuses an admin token with a comment, or one that no call could bring: %j', (ADMIN_TOKEN) => {
  expect(() => parseEnv({ ...production, ...secrets, ADMIN_TOKEN })).toThrow(
    'ADMIN_TOKEN: must have only letters, digits and',
  );
});

it('accepts a port or none, and refuses anything else', () => {
  const parse = (PORT: string) => parseEnv({ ...production, ...secrets, PORT });
  for (const port of ['', '0', '3000', '65535']) expect(() => parse(port)).not.toThrow();
  for (const port of ['abc', '3000x', '-1', '65536', '80.5', '1e3', '0x50', ' '])
    expect(() => parse(port)).toThrow('PORT: must be a whole number from 0 to 65535');
});

it('signs in to the provider with application default credentials, here a workload identity', async () => {
  const server = createServer((_req, res) =>
    res
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ access_token: 'federated', issued_token_type: 'x', token_type: 'Bearer', expires_in: 60 })),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const federation = {
    type: 'external_account',
    audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q',
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    token_url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/token`,
    credential_source: { file: write('subject', 'a-subject-token') },
  };
  const { TOKEN_ENCRYPTION_SECRET, DATABASE_URL } = secrets;
  const variables = {
    ...production,
    TOKEN_ENCRYPTION_SECRET,
    DATABASE_URL,
    FIREBASE_CREDENTIALS: 'application-default',
    // Without this, the library looks up the project.
    GOOGLE_CLOUD_PROJECT: 'demo-campus',
    GOOGLE_APPLICATION_CREDENTIALS: write('federation.json', JSON.stringify(federation)),
  };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  const { getIdentityAdmin } = await import('@/lib/server/identity/admin');
  const { credential } = getIdentityAdmin().app.options;
  expect(await credential?.getAccessToken()).toMatchObject({ access_token: 'federated' });
  expect(() => parseEnv({ ...variables, ...secrets })).toThrow('FIREBASE_PRIVATE_KEY: is not used');
  await once(server.close(), 'close');
});
