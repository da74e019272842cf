import { mkdtempSync, utimesSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { connectErrorSink } from '@/lib/shared/error-reporting/report';
import { promiseTimeout } from '@/lib/shared/promise-timeout';
import { openOriginsFile } from './app-config';

const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'origins-')), 'origins.json');
const reports: Record<string, unknown>[] = [];
connectErrorSink(({ context }) => reports.push(context));
let version = 1;

beforeEach(() => {
  reports.length = 0;
});

function write(content: unknown): void {
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  // Two writes within one clock tick must still be two versions.
  utimesSync(file, version, (version += 1));
}

test('reads an origin, and reloads the file when it has changed', async () => {
  const { getConfig } = openOriginsFile(file);
  write({ origins: { 'https://id.campus.example': { brandName: 'One' } } });
  expect(await getConfig('https://id.campus.example')).toEqual({ brandName: 'One' });
  expect(await getConfig('https://other.example')).toBeNull();
  write({ origins: { 'https://id.campus.example': { brandName: 'Two' } } });
  // Polled, because a busy machine reads the file later.
  await expect.poll(() => getConfig('https://id.campus.example')).toEqual({ brandName: 'Two' });
});

test('a busy process answers with the config in force within the time that a page waits', async () => {
  const { getConfig } = openOriginsFile(file);
  write({ origins: { 'https://a.example': { brandName: 'One' } } });
  await getConfig('https://a.example');
  const config = promiseTimeout(getConfig('https://a.example'), 400);
  const end = performance.now() + 500;
  // Due timers run before the file system's response arrives.
  while (performance.now() < end);
  expect(await config).toEqual({ brandName: 'One' });
});

test('drops invalid fields, and reports each once', async () => {
  const { getConfig } = openOriginsFile(file);
  write({
    origins: {
      'https://a.example': { brandName: 7, logo: 'javascript:alert(1)', showSplitScreen: true },
      nonsense: {},
    },
  });
  expect(await getConfig('https://a.example')).toEqual({ showSplitScreen: true });
  expect(await getConfig('https://a.example')).toEqual({ showSplitScreen: true });
  const variable = 'ORIGINS_FILE';
  expect(reports).toEqual([
    { variable, origin: 'https://a.example', field: 'brandName' },
    { variable, origin: 'https://a.example', field: 'logo' },
    { variable, name: 'nonsense' },
  ]);
});

test('a misspelled field is a problem', async () => {
  const { getState } = openOriginsFile(file);
  write({ origins: { 'https://a.example': { brandname: 'One' } }, origin: {} });
  expect((await getState()).problems).toEqual([
    { message: 'The file of origins: origin is not known; is it origins?', context: {} },
    {
      message: 'The app config of an origin: brandname is not known; is it brandName?',
      context: { origin: 'https://a.example' },
    },
  ]);
});

test('an invalid file keeps the last valid one', async () => {
  const { getConfig } = openOriginsFile(file);
  write({ origins: { 'https://a.example': { brandName: 'Good' } } });
  expect(await getConfig('https://a.example')).toEqual({ brandName: 'Good' });
  write('{"origins": {');
  expect(await getConfig('https://a.example')).toEqual({ brandName: 'Good' });
  await getConfig('https://a.example');
  expect(reports).toHaveLength(1);
});

test('there is no config without a file', async () => {
  expect(await openOriginsFile('/nowhere/origins.json').getConfig('https://a.example')).toBeNull();
  expect(reports).toHaveLength(1);
});

test('a local origin without a port matches any port; other origins do not', async () => {
  write({
    origins: {
      'http://localhost': { brandName: 'Any' },
      'http://localhost:4000': { brandName: 'Four' },
      'https://a.example': { brandName: 'A' },
    },
  });
  const { getConfig } = openOriginsFile(file);
  expect(await getConfig('http://localhost:3000')).toEqual({ brandName: 'Any' });
  expect(await getConfig('http://localhost:4000')).toEqual({ brandName: 'Four' });
  expect(await getConfig('https://a.example:8443')).toBeNull();
});
