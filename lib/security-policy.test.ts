import { expect, it } from 'vitest';
import { parseEnv, publicEnv } from '@/lib/config/env';
import { contentSecurityPolicy, policyForMeta } from './security-policy';

const production = publicEnv(
  parseEnv({
    NEXT_PUBLIC_MAIN_DOMAIN: 'campus.example',
    NEXT_PUBLIC_APP_ORIGIN: 'https://id.campus.example',
    FIREBASE_CLIENT_EMAIL: 'admin@campus.example',
    FIREBASE_PRIVATE_KEY: 'PRIVATE KEY',
    TOKEN_ENCRYPTION_SECRET: Buffer.alloc(32, 7).toString('base64'),
    NEXT_PUBLIC_MIXPANEL_TOKEN: 'token',
  }),
);
const none = { scripts: [], styles: [] };

it('allows nothing inline and nothing evaluated', () => {
  expect(contentSecurityPolicy(production, none)).not.toMatch(/unsafe-|\*/);
  expect(contentSecurityPolicy(null, none)).not.toMatch(/unsafe-|\*|google/);
});

it('names what is inline by its hash', () => {
  const policy = contentSecurityPolicy(production, { scripts: ["'sha256-a'"], styles: ["'sha256-b'"] });
  expect(policy).toContain("script-src 'self' 'sha256-a' https://apis.google.com;");
  expect(policy).toContain("style-src 'self' 'sha256-b';");
});

it('reaches the services that are configured, and no others', () => {
  const connect = contentSecurityPolicy(production, none).split('; ').find((d) => d.startsWith('connect-src')); // prettier-ignore
  expect(connect).toBe("connect-src 'self' https://identitytoolkit.googleapis.com https://securetoken.googleapis.com https://api-js.mixpanel.com"); // prettier-ignore
});

it('upgrades requests where the app is served by https', () => {
  expect(contentSecurityPolicy(production, none)).toContain('upgrade-insecure-requests');
});

it('says in a meta element only what one may say', () => {
  expect(policyForMeta(contentSecurityPolicy(null, none))).not.toMatch(/frame-ancestors|report/);
});
