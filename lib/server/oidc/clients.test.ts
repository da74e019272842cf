// cspell:ignore Überlingen مدرسة البحيرة دبیرستان विद्यालय loohc
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

// A pairwise client needs a configured secret.
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

const app = { native: true, authentication: 'none', secretFile: undefined };

describe('clients', () => {
  it.each([
    ['example.school.app:/callback'],
    ['example.school.app://callback'],
    ['http://127.0.0.1/callback'],
    ['http://[::1]/callback'],
    ['https://school.example/app'],
  ])('that are native may be at %s', (uri) => {
    expect(parse({ ...good, ...app, redirectUris: [uri] }).problems).toEqual([]);
  });

  it.each(["St. Mary's Gymnasium Überlingen", 'مدرسة البحيرة', 'دبیرستان علی‌رضا', 'विद्यालय', '湖畔学校'])(
    'may be named %s',
    (name) => {
      expect(parse({ ...good, name }).value.get('school')?.name).toBe(name);
    },
  );

  it.each([
    ['a+b/'.repeat(10), true],
    ['a%41b'.repeat(10), true],
    ['0123456789abcdef'.repeat(4), false],
    ['a-b_c.d~'.repeat(5), false],
  ])('with the secret %s work, and are noted: %s', (secret, isNoted) => {
    const file = path.join(dir, 'noted');
    writeFileSync(file, secret);
    const { value, problems, notes = [] } = parse({ ...good, secretFile: file });
    expect([value.has('school'), problems]).toEqual([true, []]);
    expect(notes.map(({ context }) => context)).toEqual(isNoted ? [{ client: 'school' }] : []);
    expect(JSON.stringify(notes)).not.toContain(secret.slice(0, 10));
  });

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
    [{ name: 'School\u202eloohcS' }, 'name must have no control characters'],
    [{ redirectUris: ['example.school.app:/callback'] }, 'need native'],
    [{ postLogoutRedirectUris: ['example.school.app:/callback'] }, 'need native'],
    [{ native: true }, 'authentication must be none'],
    [{ ...app, pkce: false }, 'pkce is required'],
    [{ ...app, redirectUris: ['http://school.example/callback'] }, 'redirectUris.0'],
    [{ ...app, redirectUris: ['https://localhost/callback'] }, 'must be http'],
    [{ ...app, redirectUris: ['school:/callback'] }, 'redirectUris.0'],
    [{ ...app, redirectUris: ['javascript:/callback'] }, 'redirectUris.0'],
    [{ ...app, redirectUris: ['example.school.app:callback'] }, 'redirectUris.0'],
    [{ ...app, redirectUris: ['Example.School.App:/callback'] }, 'redirectUris.0'],
    [{ ...app, redirectUris: ['example.school.app:/callback#x'] }, 'redirectUris.0'],
    [{ ...app, backchannelLogoutUri: 'example.school.app:/logout' }, 'backchannelLogoutUri'],
    [{ logoutUri: 'javascript:alert(1)' }, 'logoutUri'],
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
