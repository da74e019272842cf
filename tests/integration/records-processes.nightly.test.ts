import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openRecords } from '@/lib/server/records';
import type { RecordsChoice } from '@/lib/server/records/choose';
import { lockFolder } from '@/lib/server/records/folder-lock';
import { exportEvents, insertEvent } from '@/lib/server/records/events';
import { engines, hasPostgres, startDatabases } from '../support/databases';

/** A process that opens the records, and writes events of an account until it is killed. */
function startProcess(choice: RecordsChoice, uid = '') {
  const file = path.resolve('tests/support/records-process.mjs');
  const child = spawn(process.execPath, [file, JSON.stringify(choice), uid]);
  let output = '';
  const onData = (chunk: Buffer) => (output += chunk.toString());
  child.stdout.on('data', onData);
  child.stderr.on('data', onData);
  return {
    kill: () => child.kill('SIGKILL'),
    exited: once(child, 'close').then(([code]) => ({ code: code as number | null, output })),
    waitFor: async (text: string) => {
      while (!output.includes(text)) await once(child.stdout, 'data');
    },
  };
}

vi.setConfig({ testTimeout: 120_000 });

describe.each(engines)('processes on %s', (kind) => {
  let databases: Awaited<ReturnType<typeof startDatabases>>;
  beforeAll(async () => {
    databases = await startDatabases(kind);
  });
  afterAll(() => databases.stop());

  test('a killed process loses no acknowledged event, and the next one opens the same database', async () => {
    const choice = await databases.create();
    const writer = startProcess(choice, 'lena');
    await writer.waitFor('written 30');
    writer.kill();
    const { output } = await writer.exited;
    const acknowledged = output.match(/written/g)?.length ?? 0;
    const records = await openRecords(choice);
    const found = await exportEvents(records, 'lena');
    await records.close();
    expect(found.length).toBeGreaterThanOrEqual(acknowledged);
    expect(found.length).toBeLessThanOrEqual(acknowledged + 1);
  });
});

describe.skipIf(!hasPostgres)('PostgreSQL', () => {
  let databases: Awaited<ReturnType<typeof startDatabases>>;
  beforeAll(async () => {
    databases = await startDatabases('postgres');
  });
  afterAll(() => databases.stop());

  test('four processes that start together migrate once', async () => {
    const choice = await databases.create();
    const exits = await Promise.all([1, 2, 3, 4].map(() => startProcess(choice).exited));
    expect(exits).toEqual([1, 2, 3, 4].map(() => ({ code: 0, output: 'open\n' })));
  });

  test('a database that does not exist is an error with a code alone', async () => {
    const choice = await databases.create();
    if (choice.kind !== 'postgres') throw new Error();
    await expect(openRecords({ kind: 'postgres', url: `${choice.url}_other` })).rejects.toMatchObject({
      message: 'A query failed: 3D000',
      isAway: false,
    });
  });

  test('an unreachable server is away', async () => {
    await expect(openRecords({ kind: 'postgres', url: 'postgres://app@127.0.0.1:9/app' })).rejects.toMatchObject({
      code: 'ECONNREFUSED',
      isAway: true,
    });
  });
});

describe('the folder of the embedded database', () => {
  const newFolder = () => path.join(mkdtempSync(path.join(os.tmpdir(), 'folder-')), 'records');

  test('refuses a second process, and names the first', async () => {
    const folder = newFolder();
    const records = await openRecords({ kind: 'embedded', folder });
    const { code, output } = await startProcess({ kind: 'embedded', folder }).exited;
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
