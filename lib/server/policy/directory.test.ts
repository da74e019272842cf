import { mkdtempSync, utimesSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { connectErrorSink } from '@/lib/shared/error-reporting/report';
import { openDirectoryFile } from './directory';

const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'directory-')), 'directory.json');
const reports: Record<string, unknown>[] = [];
connectErrorSink(({ context }) => reports.push(context));
let version = 1;
// The files are real, and a slow machine reads them late.
beforeAll(() => (globalThis.timeLimitFactor = 10));
afterAll(() => (globalThis.timeLimitFactor = undefined));
beforeEach(() => (reports.length = 0));

function write(content: unknown): void {
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  // Two writes within one clock tick must still be two versions.
  utimesSync(file, version, (version += 1));
}

test('drops invalid entries, and reports each once', async () => {
  const { read } = openDirectoryFile(file);
  write({
    enterprises: {
      'acme.test': { name: 'Acme', provider: 'saml.acme' },
      'Not A Domain': { name: 'X', provider: 'saml.x' },
      'other.test': { name: 'Other', provider: 'google.com' },
    },
    partners: {
      acme: { name: 'Acme', provider: 'oidc.acme', emailDomains: ['acme.test'] },
      wrong: { name: 'Wrong', provider: 'saml.wrong' },
    },
  });
  const { enterprises, partners } = (await read()) ?? {};
  expect([...(enterprises?.keys() ?? [])]).toEqual(['acme.test']);
  expect(partners).toEqual(
    new Map([['acme', { name: 'Acme', provider: 'oidc.acme', enabled: true, emailDomains: ['acme.test'] }]]),
  );
  await read();
  expect(reports.map(({ name }) => name)).toEqual(['Not A Domain', 'other.test', 'wrong']);
});

test('an invalid file keeps the last valid one', async () => {
  const { read, getState } = openDirectoryFile(file);
  write({ publicMailboxDomains: ['Mailbox.test'] });
  expect((await read())?.publicMailboxDomains.has('mailbox.test')).toBe(true);
  write('{ not json');
  expect((await read())?.publicMailboxDomains.has('mailbox.test')).toBe(true);
  expect(reports).toHaveLength(1);
  expect(await getState()).toEqual({
    problems: [{ message: expect.stringContaining(`${file} is not JSON`) as string, context: {} }],
    notes: [],
    isUsable: true,
    loadedAt: expect.any(Number) as number,
  });
  write({});
  expect(await getState()).toMatchObject({ problems: [], isUsable: true });
});

test('an invalid entry keeps its last valid version', async () => {
  const { read } = openDirectoryFile(file);
  write({ partners: { acme: { name: 'Acme', provider: 'oidc.acme', emailDomains: ['acme.test'] } } });
  await read();
  write({ partners: { acme: { name: 'Acme', provider: 'oidc.acme', emailDomains: 'acme.test' } } });
  expect((await read())?.partners.get('acme')?.emailDomains).toEqual(['acme.test']);
  expect(reports).toEqual([{ variable: 'DIRECTORY_FILE', name: 'acme' }]);
  write({ partners: {} });
  expect((await read())?.partners.size).toBe(0);
});

test('an enabled partner without emailDomains is reported once', async () => {
  const { read } = openDirectoryFile(file);
  const partner = { name: 'Acme', provider: 'oidc.acme' };
  const closed = { ...partner, enabled: false };
  write({ partners: { acme: partner, closed, none: { ...partner, emailDomains: [] } } });
  await read();
  expect(reports).toEqual([{ variable: 'DIRECTORY_FILE', name: 'acme' }]);
  write({ partners: { acme: partner, closed } });
  await read();
  expect(reports).toHaveLength(1);
  write({ partners: { acme: partner, closed: { ...closed, enabled: true } } });
  await read();
  expect(reports.map(({ name }) => name)).toEqual(['acme', 'closed']);
});

test('a misspelled member is a problem, and its entry is ignored', async () => {
  const { read, getState } = openDirectoryFile(file);
  write({
    enterprise: {},
    partners: {
      acme: { name: 'Acme', provider: 'oidc.acme', emailDomain: ['acme.test'] },
      north: { name: 'North', provider: 'oidc.north', comment: 'since 2025' },
    },
  });
  expect((await read())?.partners.size).toBe(0);
  expect((await getState()).problems).toEqual([
    { message: 'The directory: enterprise is not known; is it enterprises?', context: {} },
    {
      message: 'The directory has an invalid entry: emailDomain is not known; is it emailDomains?',
      context: { name: 'acme' },
    },
    { message: 'The directory has an invalid entry: comment is not known', context: { name: 'north' } },
  ]);
});

test('a partner for any domain is noted', async () => {
  const { getState } = openDirectoryFile(file);
  write({ partners: { acme: { name: 'Acme', provider: 'oidc.acme' } } });
  const note = { message: 'A partner is listed without emailDomains', context: { name: 'acme' } };
  expect(await getState()).toMatchObject({ problems: [], notes: [note] });
});

test('there is no directory before the first valid load', async () => {
  expect(await openDirectoryFile('/nowhere/directory.json').read()).toBeNull();
  const { read } = openDirectoryFile(file);
  write('{ not json');
  expect(await read()).toBeNull();
  write({});
  expect(await read()).not.toBeNull();
});
