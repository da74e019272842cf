import { afterEach, expect, it, vi } from 'vitest';
import { checkFiles } from './configuration';

afterEach(() => {
  vi.unstubAllEnvs();
});

it.each([
  ['', 'no branding, and no social provider'],
  ['https://id.campus.example', 'not read: UPSTREAM_IDENTITY_URL has the app configs'],
])('says why there are no origins, with the identity host "%s"', async (identityHost, detail) => {
  vi.stubEnv('UPSTREAM_IDENTITY_URL', identityHost);
  vi.stubEnv('ORIGINS_FILE', identityHost && '/nowhere/origins.json');
  vi.stubEnv('DIRECTORY_FILE', '');
  expect(await checkFiles()).toEqual([
    { what: 'ORIGINS_FILE', state: 'not configured', detail, action: null },
    {
      what: 'DIRECTORY_FILE',
      state: 'not configured',
      detail: 'no organization and no partner',
      action: null,
    },
  ]);
});
