import { mkdtempSync, utimesSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { connectErrorSink } from '@/lib/sentry/report';
import { directoryFile } from './file';

const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'directory-')), 'directory.json');
const reports: Record<string, unknown>[] = [];
connectErrorSink(({ context }) => reports.push(context));
let version = 1;
beforeEach(() => (reports.length = 0));

function write(content: unknown): void {
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  // Two writes within one tick of the clock are two versions all the same.
  utimesSync(file, version, (version += 1));
}

test('leaves out wrong entries, and names them once', async () => {
  const read = directoryFile(file);
  write({
    enterprises: {
      'acme.test': { name: 'Acme', provider: 'saml.acme' },
      'Not A Domain': { name: 'X', provider: 'saml.x' },
      'other.test': { name: 'Other', provider: 'google.com' },
    },
    partners: { acme: { name: 'Acme', provider: 'oidc.acme' }, wrong: { name: 'Wrong', provider: 'saml.wrong' } },
  });
  const { enterprises, partners } = await read();
  expect([...enterprises.keys()]).toEqual(['acme.test']);
  expect([...partners.entries()]).toEqual([['acme', { name: 'Acme', provider: 'oidc.acme', enabled: true }]]);
  await read();
  expect(reports.map(({ name }) => name)).toEqual(['Not A Domain', 'other.test', 'wrong']);
});

test('a broken file leaves the last good one in force', async () => {
  const read = directoryFile(file);
  write({ publicMailboxDomains: ['Mailbox.test'] });
  expect((await read()).publicMailboxDomains.has('mailbox.test')).toBe(true);
  write('{ not json');
  expect((await read()).publicMailboxDomains.has('mailbox.test')).toBe(true);
  expect(reports).toHaveLength(1);
});

test('without a file nobody is known', async () => {
  const { enterprises } = await directoryFile('/nowhere/directory.json')();
  expect(enterprises.size).toBe(0);
});
