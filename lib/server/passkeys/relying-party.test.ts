import { expect, test } from 'vitest';
import { parseEnv } from '@/lib/server/runtime/config/env';
import {
  buildAppleAppSiteAssociation,
  buildAssetLinks,
  buildPasskeyEndpoints,
  buildRelatedOrigins,
} from './relying-party';

const parse = (variables: Record<string, string>) =>
  parseEnv({ FIREBASE_AUTH_EMULATOR_HOST: 'localhost:9', ...variables });
const production = (variables: Record<string, string>) =>
  parseEnv({
    NEXT_PUBLIC_APP_ORIGIN: 'https://id.campus.example',
    NEXT_PUBLIC_PLATFORM_ORIGIN: 'https://learn.campus.example',
    NEXT_PUBLIC_MAIN_DOMAIN: 'campus.example',
    TOKEN_ENCRYPTION_SECRET: Buffer.alloc(32, 1).toString('base64'),
    FIREBASE_CREDENTIALS: 'application-default',
    DATABASE_URL: 'postgres://identity@localhost/identity',
    ...variables,
  });
const fingerprint = (byte: string) => Array.from({ length: 32 }, () => byte).join(':');
const GET_LOGIN_CREDS = ['delegate_permission/common.get_login_creds'];

test.each([
  ['none are configured', {}],
  ['all are within the RP ID', { PASSKEY_ORIGINS: 'https://new.id.campus.example' }],
  ['passkeys are off', { PASSKEY_RP_ID: 'off', PASSKEY_ORIGINS: 'https://id.other.example' }],
])('there are no related origins when %s', (_, variables) => {
  expect(buildRelatedOrigins(production(variables))).toBeNull();
});

test('related origins are those outside of the RP ID, each once', () => {
  const PASSKEY_ORIGINS =
    'https://id.other.example,https://a.id.campus.example,https://my-id.campus.example,https://id.other.example';
  expect(buildRelatedOrigins(production({ PASSKEY_ORIGINS }))).toEqual({
    origins: ['https://id.other.example', 'https://my-id.campus.example'],
  });
  expect(buildRelatedOrigins(production({ PASSKEY_ORIGINS, PASSKEY_RP_ID: 'campus.example' }))).toEqual({
    origins: ['https://id.other.example'],
  });
});

test('after a move of the host, the app’s own origin is related to the RP ID of before', () => {
  const moved = { PASSKEY_RP_ID: 'id.old.example' };
  expect(() => production(moved)).toThrow('PASSKEY_RP_ID: must be the host of NEXT_PUBLIC_APP_ORIGIN');
  const PASSKEY_ORIGINS = 'https://id.campus.example';
  expect(buildRelatedOrigins(production({ ...moved, PASSKEY_ORIGINS }))).toEqual({ origins: [PASSKEY_ORIGINS] });
});

test('password managers find the page of passkeys, whatever the RP ID is, and none where there are none', () => {
  const page = 'https://id.campus.example/security?part=sign-in';
  const on: Record<string, string>[] = [{}, { PASSKEY_RP_ID: 'campus.example' }];
  for (const variables of on)
    expect(buildPasskeyEndpoints(production(variables))).toEqual({ enroll: page, manage: page });
  expect(buildPasskeyEndpoints(production({ PASSKEY_RP_ID: 'off' }))).toBeNull();
});

test('Apple apps are listed for credentials alone', () => {
  expect(buildAppleAppSiteAssociation(parse({}))).toBeNull();
  const APPLE_APP_IDS = 'ABCDE12345.example.campus.app, ABCDE12345.example.campus-beta.app';
  expect(buildAppleAppSiteAssociation(parse({ APPLE_APP_IDS }))).toEqual({
    webcredentials: { apps: ['ABCDE12345.example.campus.app', 'ABCDE12345.example.campus-beta.app'] },
  });
});

test('Android apps have a statement each, with all their certificates, beside that of the site', () => {
  expect(buildAssetLinks(parse({}))).toBeNull();
  const apps = [
    `example.campus.app/${fingerprint('0A')}`,
    `example.campus.beta/${fingerprint('0A')}`,
    `example.campus.app/${fingerprint('F1')}`,
  ];
  const app = (name: string, ...sha256: string[]) => ({
    relation: GET_LOGIN_CREDS,
    target: { namespace: 'android_app', package_name: name, sha256_cert_fingerprints: sha256 },
  });
  expect(buildAssetLinks(production({ ANDROID_APPS: apps.join(',') }))).toEqual([
    { relation: GET_LOGIN_CREDS, target: { namespace: 'web', site: 'https://id.campus.example' } },
    app('example.campus.app', fingerprint('0A'), fingerprint('F1')),
    app('example.campus.beta', fingerprint('0A')),
  ]);
});

test.each([
  ['APPLE_APP_IDS', 'example.campus.app'],
  ['APPLE_APP_IDS', 'abcde12345.example.campus.app'],
  ['APPLE_APP_IDS', 'ABCDE12345'],
  ['APPLE_APP_IDS', 'ABCDE12345.example..app'],
  ['ANDROID_APPS', 'example.campus.app'],
  ['ANDROID_APPS', `app/${fingerprint('0A')}`],
  ['ANDROID_APPS', `example.campus.app/${fingerprint('0a')}`],
  ['ANDROID_APPS', `example.campus.app/${fingerprint('0A')}:0A`],
  ['ANDROID_APPS', `example.campus.app/${fingerprint('0A').replaceAll(':', '')}`],
])('%s=%s is refused', (name, value) => {
  expect(() => parse({ [name]: value })).toThrow(`${name}: must be app`);
});
