import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { isRemovedClient, parseClients } from './clients';

const dir = mkdtempSync(path.join(os.tmpdir(), 'clients-'));
const secretFile = path.join(dir, 'secret');
writeFileSync(secretFile, `${'s'.repeat(32)}\n`);
const shortFile = path.join(dir, 'short');
writeFileSync(shortFile, 'short');

// A pairwise client needs a secret of the configuration.
const clientsFile = path.join(dir, 'clients.json');
beforeAll(() => {
  vi.stubEnv('FIREBASE_AUTH_EMULATOR_HOST', 'localhost:9');
  vi.stubEnv('OIDC_CLIENTS_FILE', clientsFile);
  vi.stubEnv('OIDC_KEYS_FILE', path.join(dir, 'keys.json'));
  vi.stubEnv('DATABASE_FOLDER', dir);
});
afterAll(() => vi.unstubAllEnvs());

const good = { name: 'School', redirectUris: ['https://school.example/callback'], secretFile };
const parse = (entry: object, before: Parameters<typeof parseClients>[1] = null) =>
  parseClients({ clients: { school: entry, other: good } }, before);

describe('clients', () => {
  it('have defaults that are safe', () => {
    const { value, problems } = parse(good);
    expect(problems).toEqual([]);
    expect(value.get('school')).toMatchObject({
      ...{ authentication: 'client_secret_basic', pkce: true, refreshTokens: false, subjectType: 'public' },
      ...{ algorithm: 'RS256', enabled: true, postLogoutRedirectUris: [] },
    });
  });

  it.each([
    [{ redirectUris: [] }, 'redirectUris'],
    [{ redirectUris: ['http://school.example/callback'] }, 'https'],
    [{ redirectUris: ['https://school.example/*'] }, 'redirectUris.0'],
    [{ redirectUris: ['https://school.example/#x'] }, 'redirectUris.0'],
    [{ redirectUris: ['https://user@school.example/'] }, 'redirectUris.0'],
    [{ redirectUris: ['https://School.example/'] }, 'usual spelling'],
    [{ redirectUris: ['javascript:alert(1)'] }, 'redirectUris.0'],
    [{ backchannelLogoutUri: 'http://169.254.169.254/' }, 'backchannelLogoutUri'],
    [{ algorithm: 'HS256' }, 'algorithm'],
    [{ algorithm: 'none' }, 'algorithm'],
    [{ secretFile: undefined }, 'secretFile is required'],
    [{ secretFile: shortFile }, '32 printable characters'],
    [{ secretFile: '/nowhere/secret' }, 'secretFile cannot be read'],
    [{ authentication: 'none' }, 'secretFile has no use'],
    [{ authentication: 'none', secretFile: undefined, pkce: false }, 'pkce is required'],
    [{ subjectType: 'pairwise' }, 'OIDC_PAIRWISE_SECRET'],
    [{ subjectType: 'pairwise', redirectUris: ['https://a.example/', 'https://b.example/'] }, 'on one host'],
    [{ redirectUri: 'https://school.example/' }, 'redirectUri'],
  ])('with %j are reported, while the others go on', (more, problem) => {
    const { value, problems } = parse({ ...good, ...more });
    expect([...value.keys()]).toEqual(['other']);
    expect(problems).toEqual([{ message: expect.stringContaining(problem) as unknown, context: { client: 'school' } }]);
    expect(JSON.stringify(problems)).not.toContain('s'.repeat(32));
  });

  it('keep their last valid version', () => {
    const { value: before } = parse(good);
    expect(parse({ name: 'broken' }, before).value.get('school')).toEqual(before.get('school'));
  });

  it.each([null, [], { school: good }, 'text'])('are an object with clients, not %j', (content) => {
    expect(() => parseClients(content, null)).toThrow('clients');
  });
});

it('a client is removed when the file has no entry of it, not when that is wrong', async () => {
  writeFileSync(
    clientsFile,
    JSON.stringify({ clients: { wrong: { name: 'Wrong' }, off: { ...good, enabled: false } } }),
  );
  expect(await Promise.all(['wrong', 'off', 'gone'].map(isRemovedClient))).toEqual([false, false, true]);
});
