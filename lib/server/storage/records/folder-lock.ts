import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { ConfigurationError } from '@/lib/server/runtime';

type Holder = { pid: number; startedAt: string; host: string };

/**
 * Locks a folder for this process, with a file beside it. The lock of a dead process is taken over, never one that is
 * merely old. PGlite itself does not refuse a second process, and both would lose what the other writes.
 * @returns releases the lock
 * @throws ConfigurationError naming the process that uses it
 */
export function lockFolder(folder: string): () => void {
  const file = `${folder}.lock`;
  const own = JSON.stringify(describeProcess());
  takeLock(file, own, folder);
  const release = () => {
    process.off('exit', release);
    if (readText(file) === own) rmSync(file, { force: true });
  };
  process.on('exit', release);
  return release;
}

/** Two processes may find the same stale lock: replacing it needs a lock of its own, or one would remove the other's. */
function takeLock(file: string, own: string, folder: string): void {
  if (createExclusively(file, own)) return;
  const found = readText(file);
  if (found === null) return takeLock(file, own, folder);
  assertDead(found, file, folder);
  const guard = `${file}.taking`;
  takeLock(guard, own, folder);
  try {
    if (readText(file) !== found)
      throw new ConfigurationError([`DATABASE_FOLDER: another process has just taken ${folder}`]);
    writeFileSync(`${file}.${String(process.pid)}`, own);
    renameSync(`${file}.${String(process.pid)}`, file);
  } finally {
    rmSync(guard, { force: true });
  }
}

/** Like `O_EXCL`, but the file has its content from the first moment: a crash leaves no empty lock. */
function createExclusively(file: string, content: string): boolean {
  const draft = `${file}.${String(process.pid)}`;
  writeFileSync(draft, content);
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(draft, { force: true });
  }
}

function assertDead(content: string, file: string, folder: string): void {
  const holder = parseHolder(content);
  if (holder?.host === os.hostname() && !isAlive(holder)) return;
  const who = holder ? `process ${String(holder.pid)} on ${holder.host}` : 'another process';
  const remove = holder?.host === os.hostname() ? '' : `, or remove ${file} if that process has ended`;
  throw new ConfigurationError([
    `DATABASE_FOLDER: ${folder} serves one process, and ${who} uses it: stop that one, choose another folder, or set DATABASE_URL${remove}`,
  ]);
}

/** A process id is given again, always the same one in a container: the start time tells two processes apart. */
function isAlive({ pid, startedAt }: Holder): boolean {
  if (pid === process.pid) return startedAt === getStartTime(pid);
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return startedAt === getStartTime(pid) || getStartTime(pid) === '';
}

function describeProcess(): Holder {
  return { pid: process.pid, startedAt: getStartTime(process.pid), host: os.hostname() };
}

/** Start time of a process in ticks since boot (proc(5)); empty where the system does not tell. */
function getStartTime(pid: number): string {
  const stat = readText(`/proc/${String(pid)}/stat`) ?? '';
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

function parseHolder(content: string): Holder | null {
  try {
    const { pid, startedAt, host } = JSON.parse(content) as Partial<Holder>;
    return typeof pid === 'number' && typeof startedAt === 'string' && typeof host === 'string'
      ? { pid, startedAt, host }
      : null;
  } catch {
    return null;
  }
}
