// Threats: code-leak
import { mkdtempSync, writeFileSync } from 'node:fs';
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
