// Behavior that differs in the embedded database. *.other-engine.nightly.test.ts covers its records and its outbox.
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { openRecords } from '@/lib/server/storage/records';
import { lockFolder } from '@/lib/server/storage/records/engines';
import { exportEvents, insertEvent } from '@/lib/server/storage/records/events';
import { events } from '@/lib/server/storage/records/schema';
import { startRecordsProcess } from '../support/start-records-process';

const newFolder = () => path.join(mkdtempSync(path.join(os.tmpdir(), 'folder-')), 'records');
const NOW = new Date('2026-11-22T12:00:00.123Z');

test('it is migrated once, and keeps what was written, with its time', async () => {
  const folder = newFolder();
  const first = await openRecords({ kind: 'embedded', folder });
  await Promise.all(Array.from({ length: 10 }, () => insertEvent(first, { uid: 'lena', kind: 'signed-in', at: NOW })));
  await first.close();
  const next = await openRecords({ kind: 'embedded', folder });
  expect((await exportEvents(next, 'lena')).map(({ at }) => at)).toEqual(Array.from({ length: 10 }, () => NOW));
  const failed = next.transact(async (tx) => {
    await tx.delete(events);
    throw new Error('a step that fails');
  });
  await expect(failed).rejects.toThrow('A query failed');
  expect(await exportEvents(next, 'lena')).toHaveLength(10);
  await next.close();
});

describe('the folder of the embedded database', () => {
  test('refuses a second process, and names the first', async () => {
    const folder = newFolder();
    const records = await openRecords({ kind: 'embedded', folder });
    const { code, output } = await startRecordsProcess({ kind: 'embedded', folder }).exited;
    await records.close();
    expect(code).toBe(1);
    expect(output).toContain(`serves one process, and process ${String(process.pid)} on ${os.hostname()} uses it`);
    expect(output.trim().split('\n')).toHaveLength(2);
  });

  test('is refused twice in one process, and free again after closing', () => {
    const folder = newFolder();
    const release = lockFolder(folder);
    expect(() => lockFolder(folder)).toThrow('uses it');
    release();
    expect(existsSync(`${folder}.lock`)).toBe(false);
    lockFolder(folder)();
  });

  test('takes over the lock of a dead process, whatever its age', () => {
    const folder = newFolder();
    const dead = { pid: 4_194_305, startedAt: '1', host: os.hostname() };
    writeFileSync(`${folder}.lock`, JSON.stringify(dead));
    const release = lockFolder(folder);
    expect(() => lockFolder(folder)).toThrow('uses it');
    release();
  });

  test('takes over the lock of an earlier process that had a living one’s id', () => {
    const folder = newFolder();
    writeFileSync(`${folder}.lock`, JSON.stringify({ pid: process.ppid, startedAt: '1', host: os.hostname() }));
    lockFolder(folder)();
  });

  test('does not take over a lock of another machine', () => {
    const folder = newFolder();
    writeFileSync(`${folder}.lock`, JSON.stringify({ pid: 1, startedAt: '1', host: 'another-machine' }));
    expect(() => lockFolder(folder)).toThrow(`remove ${folder}.lock if that process has ended`);
  });

  test('half a database of a killed first start is replaced', async () => {
    const folder = newFolder();
    writeFileSync(`${folder}.new`, 'half');
    const records = await openRecords({ kind: 'embedded', folder });
    await insertEvent(records, { uid: 'lena', kind: 'signed-in', at: new Date() });
    await records.close();
  });
});
