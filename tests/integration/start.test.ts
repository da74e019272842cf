// Threats: dependency-failure
import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';

const dir = mkdtempSync(path.join(os.tmpdir(), 'start-'));
const file = (name: string, content: string) => {
  writeFileSync(path.join(dir, name), content);
  return path.join(dir, name);
};
const production = {
  NEXT_PUBLIC_APP_ORIGIN: 'https://id.campus.example',
  NEXT_PUBLIC_MAIN_DOMAIN: 'campus.example',
  NEXT_PUBLIC_PLATFORM_ORIGIN: 'https://learn.campus.example',
  FIREBASE_CLIENT_EMAIL: 'app@campus.example',
  FIREBASE_PRIVATE_KEY: '-----BEGIN PRIVATE KEY-----\\nabc\\n-----END PRIVATE KEY-----',
  TOKEN_ENCRYPTION_SECRET: Buffer.alloc(32, 7).toString('base64'),
};

/** Runs the server's start hook in a process of its own. */
function start(variables: Record<string, string>) {
  const script = `import { loadSource } from './scripts/lib/source-loader.mjs';
    await loadSource('/lib/server/start.ts').startServer();
    console.log('started');
    process.exit(0);`;
  const env = { PATH: process.env.PATH, ...variables } as unknown as NodeJS.ProcessEnv;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { env, encoding: 'utf8' }); // prettier-ignore
  return { status, stdout, stderr };
}

test('starts with a complete configuration', () => {
  const files = {
    ORIGINS_FILE: file('origins.json', '{ "origins": {} }'),
    DIRECTORY_FILE: file('directory.json', '{}'),
  };
  expect(start({ ...production, ...files })).toMatchObject({ status: 0, stdout: expect.stringContaining('started') as string, stderr: '' }); // prettier-ignore
});

test('does not start with files that cannot be used, and names every problem at once', () => {
  const { status, stdout, stderr } = start({
    ...production,
    LOG_LEVEL: 'loud',
    TOKEN_ENCRYPTION_SECRET: 'SeCrEt1',
    ORIGINS_FILE: file('broken.json', '{ "origins": {'),
    DIRECTORY_FILE: path.join(dir, 'missing.json'),
  });
  expect([status, stderr]).toEqual([1, '']);
  const lines = stdout.trim().split('\n').map((line) => JSON.parse(line) as Record<string, string>); // prettier-ignore
  const problems = Object.fromEntries(lines.map(({ variable = '', problem = '' }) => [variable, problem]));
  expect(problems.ORIGINS_FILE).toMatch(/broken\.json is not JSON/);
  expect(problems.DIRECTORY_FILE).toMatch(/missing\.json does not exist/);
  expect(problems.LOG_LEVEL).toMatch(/^must be one of/);
  expect(problems.TOKEN_ENCRYPTION_SECRET).toMatch(/^must be 32 bytes/);
  expect(stdout).not.toContain('SeCrEt1');
});

test('starts without an entry that is invalid, and logs it', () => {
  const partners = { acme: { name: 'Acme', provider: 'saml.acme' } };
  const enterprises = { 'acme.example': { name: 'Acme', provider: 'saml.acme' }, 'other.example': { name: 'Other' } };
  const { status, stdout } = start({
    ...production,
    DIRECTORY_FILE: file('entries.json', JSON.stringify({ enterprises, partners })),
  });
  expect(status).toBe(0);
  const logged = stdout.split('\n').filter((line) => line.includes('"level":50'));
  expect(logged.map((line) => (JSON.parse(line) as { name?: string }).name)).toEqual(['other.example', 'acme']);
});
