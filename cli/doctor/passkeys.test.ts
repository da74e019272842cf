import { expect, test } from 'vitest';
import { parseEnv } from '@/lib/server/runtime/config/env';
import { judgePasskeys } from './passkeys';

const judge = (variables: Record<string, string>, stored: string[] | null = []) =>
  judgePasskeys(parseEnv({ FIREBASE_AUTH_EMULATOR_HOST: 'localhost:9', ...variables }), stored);

test('names RP ID and origins, also while stored passkeys cannot be read', () => {
  const detail = 'RP ID localhost, on http://localhost:3000, https://id.other.example';
  const PASSKEY_ORIGINS = 'https://id.other.example';
  expect(judge({ PASSKEY_ORIGINS })).toEqual({ what: 'passkeys', state: 'works', detail, action: null });
  expect(judge({ PASSKEY_ORIGINS }, ['localhost'])).toMatchObject({ state: 'works', detail });
  const unread = `${detail}; the RP IDs of stored passkeys could not be read`;
  expect(judge({ PASSKEY_ORIGINS }, null)).toMatchObject({ state: 'works', detail: unread });
});

test('passkeys of another RP ID stop the start', () => {
  const { state, detail, action } = judge({}, ['localhost', 'old.example']);
  expect(state).toBe('does not work');
  expect(detail).toContain('there are passkeys of old.example, so no process starts');
  expect(action).toContain('Set PASSKEY_RP_ID back');
});

test('says when browsers may not read all related origins', () => {
  const origins = Array.from({ length: 6 }, (_, i) => `https://id.other-${String(i)}.example`);
  expect(judge({ PASSKEY_ORIGINS: origins.slice(1).join(',') }).action).toBeNull();
  expect(judge({ PASSKEY_ORIGINS: origins.join(',') }).action).toMatch(/^6 origins are outside of the RP ID/);
});

test.each([
  [{ PASSKEY_RP_ID: 'off' }, 'PASSKEY_RP_ID is off'],
  [
    { SESSION_BACKEND: 'upstream', UPSTREAM_IDENTITY_URL: 'https://id.campus.example' },
    'another deployment has the sessions',
  ],
  [
    {
      NEXT_PUBLIC_APP_ORIGIN: 'http://127.0.0.1:3000',
      NEXT_PUBLIC_PLATFORM_ORIGIN: 'http://127.0.0.1:3001',
      NEXT_PUBLIC_MAIN_DOMAIN: '127.0.0.1',
    },
    'the host of NEXT_PUBLIC_APP_ORIGIN is an IP address, which cannot be an RP ID',
  ],
])('says why there are none: %j', (variables, detail) => {
  expect(judge(variables)).toMatchObject({ state: 'not configured', detail });
});
