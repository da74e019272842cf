// Threats: provider-domains
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PRIVATE_KEY } from '@/tests/support/private-key';

beforeEach(() => vi.resetModules());
afterEach(() => vi.unstubAllEnvs());

/** The configuration is read once, so each case loads its own modules. */
async function getEnterprise(email: string, variables: Record<string, string>) {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  return (await import('./directory')).getEnterprise(email);
}

it('knows no organization of the samples unless their file is configured', async () => {
  const production = {
    NEXT_PUBLIC_APP_ORIGIN: 'https://id.campus.example',
    DATABASE_URL: 'postgres://identity@localhost:9/identity',
    NEXT_PUBLIC_MAIN_DOMAIN: 'campus.example',
    NEXT_PUBLIC_PLATFORM_ORIGIN: 'https://learn.campus.example',
    FIREBASE_CLIENT_EMAIL: 'app@campus.example',
    FIREBASE_PRIVATE_KEY: PRIVATE_KEY,
    TOKEN_ENCRYPTION_SECRET: Buffer.alloc(32, 7).toString('base64'),
  };
  await expect(getEnterprise('a@acme.test', production)).rejects.toMatchObject({ code: 'invalid-enterprise-domain' });
});
