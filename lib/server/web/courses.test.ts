import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { PRIVATE_KEY } from '@/tests/support/private-key';

const request = () => Object.assign(new IncomingMessage(new Socket()), { cookies: { '_secure-user-session': 'x' } });

const production = {
  NEXT_PUBLIC_APP_ORIGIN: 'https://id.campus.example',
  DATABASE_URL: 'postgres://identity@localhost:9/identity',
  NEXT_PUBLIC_MAIN_DOMAIN: 'campus.example',
  NEXT_PUBLIC_PLATFORM_ORIGIN: 'https://learn.campus.example',
  FIREBASE_CLIENT_EMAIL: 'app@campus.example',
  FIREBASE_PRIVATE_KEY: PRIVATE_KEY,
  TOKEN_ENCRYPTION_SECRET: Buffer.alloc(32, 7).toString('base64'),
};

/** The configuration is read once, so each case loads its own modules. */
async function coursesWith(variables: Record<string, string>) {
  for (const [name, value] of Object.entries({ FIREBASE_AUTH_EMULATOR_HOST: 'localhost:9', ...variables }))
    vi.stubEnv(name, value);
  return (await import('./courses')).getCourses(request());
}

beforeEach(() => vi.resetModules());
afterEach(() => vi.unstubAllEnvs());

it('shows the sample catalog of the local platform in the local default', async () => {
  const { courses, elsewhere } = await coursesWith({ NEXT_PUBLIC_PLATFORM_ORIGIN: 'http://localhost:3777' });
  expect(elsewhere).toBe(false);
  expect(courses.map(({ url }) => url)).toEqual(courses.map(({ id }) => `http://localhost:3777/user/courses/${id}`));
  expect(courses[0]?.lessons[0]?.url).toMatch(/^http:\/\/localhost:3777\/user\/courses\/[\w-]+\?lesson=[\w-]+$/);
});

it('shows no sample outside the local default', async () => {
  expect(await coursesWith({ FIREBASE_AUTH_EMULATOR_HOST: '', ...production })).toEqual({
    courses: [],
    elsewhere: true,
  });
});
