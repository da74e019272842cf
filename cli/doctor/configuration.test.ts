import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { env } from '@/lib/server/runtime';
import { checkFiles, checkOwnEntry } from './configuration';

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

it('misses the entry of this app in a copied sample', async () => {
  const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'own-entry-')), 'origins.json');
  vi.stubEnv('FIREBASE_AUTH_EMULATOR_HOST', 'localhost:9099');
  Object.assign(env(), { NEXT_PUBLIC_APP_ORIGIN: 'https://id.campus.example', ORIGINS_FILE: file });
  writeFileSync(file, JSON.stringify({ origins: { 'http://localhost': { brandName: 'Campus' } } }));
  expect(await checkOwnEntry()).toEqual([
    expect.objectContaining({
      state: 'not configured',
      detail: expect.stringContaining('no entry for https://id.campus.example') as string,
    }),
  ]);
  Object.assign(env(), { NEXT_PUBLIC_APP_ORIGIN: 'http://localhost' });
  expect(await checkOwnEntry()).toEqual([expect.objectContaining({ state: 'works' })]);
});
