// Threats: code-leak
import { mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { connectErrorSink } from '@/lib/shared/error-reporting/report';
import { createReloadingFile } from './reload-file';

const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'reload-')), 'keys.json');
const reports: string[] = [];
connectErrorSink(({ error }) => reports.push((error as Error).message));

it.each([
  ['-----BEGIN PRIVATE KEY-----', ''],
  ['MII0secret0', ''],
  ['{"keys":[{"d":MII0secret0}]}', ''],
  ['{"keys":[{"d":"MII0secret0"x', ' at position'],
])('does not quote a file that is not JSON: %s', async (content, place) => {
  reports.length = 0;
  writeFileSync(file, content);
  const { problems } = await createReloadingFile('OIDC_KEYS_FILE', file, (value) => ({
    value,
    problems: [],
  })).getState();
  expect(problems.map(({ message }) => message)).toEqual(reports);
  expect(reports).toEqual([expect.stringContaining(`${file} is not JSON${place}`)]);
  expect(reports[0]).not.toMatch(/MII|BEGIN/);
});

const take = (value: unknown) => ({ value, problems: [] });

it.each([
  ['keep', [1]],
  ['drop', null],
] as const)('an unusable file can %s its last valid value', async (ofUnusable, left) => {
  writeFileSync(file, '[1]');
  const reloading = createReloadingFile('OPERATORS_FILE', file, take, ofUnusable);
  expect(await reloading.read()).toEqual([1]);
  writeFileSync(file, '[1],');
  expect(await reloading.read()).toEqual(left);
  expect((await reloading.getState()).isUsable).toBe(left !== null);
  rmSync(file);
  expect(await reloading.read()).toEqual(left);
  writeFileSync(file, '[2]');
  expect(await reloading.read()).toEqual([2]);
});

it('reads a changed file whose tool has kept its time', async () => {
  writeFileSync(file, '[1]');
  const { atime, mtime } = statSync(file);
  utimesSync(file, atime, mtime);
  const reloading = createReloadingFile('OPERATORS_FILE', file, take);
  expect(await reloading.read()).toEqual([1]);
  writeFileSync(file, '[2]');
  utimesSync(file, atime, mtime);
  expect(await reloading.read()).toEqual([2]);
});
