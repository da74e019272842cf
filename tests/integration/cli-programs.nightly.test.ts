// The image's tool in its real form: one file in a separate folder, with only Node.js. cli.nightly.test.ts covers every
// command.
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { sampleFiles } from '../../scripts/lib/paths.mjs';
import { useCli } from '../support/cli';

const { dir, cli, env, runDoctor } = useCli();

test('its folder holds nothing but the programs, beside the migrations and the libraries of the image', () => {
  expect(readdirSync(dir).sort()).toEqual(['cli.js', 'migrations', 'node_modules', 'server.js']);
});

test('help lists the commands', async () => {
  const { code, stdout } = await cli([]);
  expect(code).toBe(0);
  for (const name of ['doctor', 'explain', 'import', 'delete', 'events', 'account-hash'])
    expect(stdout).toContain(`\n  ${name} `);
  expect(await cli(['--help'])).toEqual({ code: 0, stdout, stderr: '' });
});

test('explain works without a checkout', async () => {
  const { code, stdout } = await cli(['explain', 'http://localhost:3001/user/courses', 'https://evil.example']);
  expect(code).toBe(0);
  expect(stdout).toContain('accepted by the rule');
  expect(stdout).toContain('refused as "foreign-host"');
});

test('import creates the accounts of a file', async () => {
  const uid = `cli-${randomUUID()}`;
  const file = path.join(dir, 'people.csv');
  writeFileSync(file, `uid,email,displayName\n${uid},${uid}@campus.test,Lena\n`);
  expect(await cli(['import', file, '--dry-run'])).toMatchObject({ code: 0 });
  await expect(getIdentityAdmin().getUser(uid)).rejects.toMatchObject({ code: 'auth/user-not-found' });
  const { code, stdout } = await cli(['import', file]);
  expect([code, stdout]).toEqual([0, expect.stringContaining('1 imported')]);
  expect((await getIdentityAdmin().getUser(uid)).displayName).toBe('Lena');
  for (const name of readdirSync(dir).filter((each) => each.startsWith('people'))) rmSync(path.join(dir, name));
});

test('the doctor exits with 0 in a local trial, also with the sample files', async () => {
  const { ok, findings } = await runDoctor(sampleFiles);
  expect(findings.filter(({ state }) => state === 'does not work')).toEqual([]);
  expect(ok).toBe(true);
});

test('npm run cli runs every command with the variables of the checkout', () => {
  const environment = { PATH: process.env.PATH, ...env() } as unknown as NodeJS.ProcessEnv;
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  const [program = '', ...args] = scripts.cli?.split(' ') ?? [];
  const ran = (more: string[]) => spawnSync(program, [...args, ...more], { encoding: 'utf8', env: environment });
  expect(ran(['account-hash', 'lena'])).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^([0-9a-f]{16}\n){2}$/) as string,
    stderr: '',
  });
  expect(ran(['doctor', '--help']).stdout).toContain('npm run cli -- doctor ');
});

test('the image runs these programs', () => {
  expect(readFileSync('Dockerfile', 'utf8')).toMatch(/^CMD \["node", "server.js"\]$/m);
});
