// Threats: dependency-failure
import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { production, start } from '../support/start-process';

const dir = mkdtempSync(path.join(os.tmpdir(), 'start-'));
const file = (name: string, content: string) => {
  writeFileSync(path.join(dir, name), content);
  return path.join(dir, name);
};
test('starts with a complete configuration', () => {
  const files = {
    ORIGINS_FILE: file('origins.json', '{ "origins": {} }'),
    // Some editors write a byte order mark.
    DIRECTORY_FILE: file('directory.json', '\ufeff{}'),
  };
  expect(start({ ...production, ...files })).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('started') as string,
    stderr: '',
  });
});

test('does not start with files that cannot be used, and names every problem at once', () => {
  const { status, stdout, stderr } = start({
    ...production,
    LOG_LEVEL: 'loud',
    TOKEN_ENCRYPTION_SECRET: 'SeCrEt1',
    ORIGINS_FILE: file('broken.json', '{ "origins": {'),
    DIRECTORY_FILE: path.join(dir, 'missing.json'),
    DATABASE_URL: `${production.DATABASE_URL}?sslmode=verify-full&sslrootcert=${path.join(dir, 'missing.pem')}`,
    WEBHOOKS_FILE: path.join(dir, 'missing-webhooks.json'),
    OIDC_CLIENTS_FILE: file('clients.json', '{ "clients": '),
    OIDC_KEYS_FILE: path.join(dir, 'missing-keys.json'),
  });
  expect([status, stderr]).toEqual([1, '']);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, string>);
  const problems = Object.fromEntries(lines.map(({ variable = '', problem = '' }) => [variable, problem]));
  expect(problems.ORIGINS_FILE).toMatch(/broken\.json is not JSON/);
  expect(problems.DIRECTORY_FILE).toMatch(/missing\.json does not exist/);
  expect(problems.DATABASE_URL).toMatch(/missing\.pem cannot be read/);
  expect(problems.WEBHOOKS_FILE).toMatch(/missing-webhooks\.json does not exist/);
  expect(problems.OIDC_CLIENTS_FILE).toMatch(/clients\.json is not JSON/);
  expect(problems.OIDC_KEYS_FILE).toMatch(/missing-keys\.json does not exist/);
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

test('a database and a Redis that are away are known outages, each told once, and no unexpected error', async () => {
  const [redis = 0, database = 0] = await freePorts(2);
  const script = `import { loadSource } from './scripts/lib/source-loader.mjs';
    await loadSource('/lib/server/launch/index.ts').startServer();
    setInterval(() => {}, 1000);`;
  const away = {
    REDIS_URL: `redis://127.0.0.1:${String(redis)}`,
    DATABASE_URL: `postgres://me@127.0.0.1:${String(database)}/identity`,
    SHUTDOWN_DELAY: '0',
  };
  const env = { PATH: process.env.PATH, ...production, ...away } as unknown as NodeJS.ProcessEnv;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: { level: number; msg: string; during?: string; requestId?: string }[] = [];
  for await (const line of createInterface(child.stdout)) {
    lines.push(JSON.parse(line) as (typeof lines)[number]);
    if (lines.some(({ msg }) => msg === 'a service does not answer')) child.kill('SIGKILL');
  }
  expect(lines.filter(({ level }) => level >= 50)).toEqual([]);
  expect(lines.filter(({ level }) => level === 40).map(({ msg, during }) => during ?? msg)).toEqual([
    'the database is away: security events are not recorded until it is back',
    'Redis outage: limits and shared state are kept in this process',
  ]);
});
