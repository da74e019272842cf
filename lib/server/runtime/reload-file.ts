import { readFile, stat } from 'node:fs/promises';
import { reportError } from '@/lib/shared/error-reporting/report';
import { promiseTimeout } from '@/lib/shared/promise-timeout';
import { processWide } from './process';

/**
 * How long a reader waits for the check for changes before it gets the value in force. A page waits longer than this.
 */
const CHECK_TIMEOUT_MS = 300;

/** A problem of a file. `context`: names that locate it in the file. */
export type FileProblem = { message: string; context: Record<string, string> };
/** `notes`: valid content that operators should know about. */
export type ParsedFile<T> = { value: T; problems: FileProblem[]; notes?: FileProblem[] };
/**
 * `isUsable`: whether a value of this or an earlier version is in force. `loadedAt`: when that version was read, in
 * milliseconds since 1970.
 */
export type FileState = {
  problems: readonly FileProblem[];
  notes: readonly FileProblem[];
  isUsable: boolean;
  loadedAt: number | null;
};
export type ReloadingFile<T> = {
  /**
   * Returns the value in force, or null before the first successful read. On a busy machine, a change may take effect a
   * read later.
   */
  read: () => Promise<T | null>;
  getState: () => Promise<FileState>;
};

/**
 * Reads a JSON file, and reloads it when it changes. Problems are reported once per version.
 * @param variable that names the file, for reports
 * @param parse validates the content; receives the last valid value
 * @param ofUnusable what happens to the last valid value when the file is unusable
 */
export function createReloadingFile<T>(
  variable: string,
  path: string,
  parse: (content: unknown, before: T | null) => ParsedFile<T>,
  ofUnusable: 'keep' | 'drop' = 'keep',
): ReloadingFile<T> {
  type Loaded = ParsedFile<T | null> & { loadedAt: number | null };
  let last: Loaded & { version: string } = { version: '', value: null, problems: [], loadedAt: null };
  const load = async (): Promise<Loaded> => {
    try {
      return { ...parse(parseJson(await readText(path)), last.value), loadedAt: Date.now() };
    } catch (error) {
      const { value, loadedAt } = ofUnusable === 'keep' ? last : { value: null, loadedAt: null };
      return { value, problems: [{ message: describeFailure(path, error), context: {} }], loadedAt };
    }
  };
  const check = async () => {
    // Tools that copy a file can keep its `mtime`.
    const version = await stat(path).then(
      ({ mtimeMs, ctimeMs, size }) => [mtimeMs, ctimeMs, size].join(' '),
      () => 'missing',
    );
    if (version === last.version) return last;
    last = { version, ...(await load()) };
    for (const { message, context } of last.problems) reportError(new Error(message), { variable, ...context });
    return last;
  };
  let checking: ReturnType<typeof check> | null = null;
  // Concurrent readers share a check. Under load, file system calls are a large part of a request.
  const refresh = () =>
    (checking ??= check().finally(() => {
      checking = null;
    }));
  return {
    read: async () => {
      const refreshed = refresh();
      const loaded = last.value === null ? refreshed : promiseTimeout(refreshed, CHECK_TIMEOUT_MS).catch(() => last);
      return (await loaded).value;
    },
    getState: async () => {
      const { value, problems, notes = [], loadedAt } = await refresh();
      return { problems, notes, isUsable: value !== null, loadedAt };
    },
  };
}

/**
 * Returns the file of a variable, which every part of the process shares. The first call opens it.
 * @param parse as of `createReloadingFile`
 */
export function openConfigFile<T>(
  variable: string,
  path: string,
  parse: Parameters<typeof createReloadingFile<T>>[2],
  ofUnusable?: 'keep' | 'drop',
): ReloadingFile<T> {
  return processWide(`file:${variable}`, () => createReloadingFile(variable, path, parse, ofUnusable));
}

/** Removes the byte order mark that some editors write. */
async function readText(path: string): Promise<string> {
  return (await readFile(path, 'utf8')).replace(/^\ufeff/, '');
}

/** Parses JSON. The parser's own message quotes the file, which may contain private keys, so it is replaced. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const [place = ''] = /at position \d+|\(line \d+ column \d+\)/.exec((error as Error).message) ?? [];
    throw new Error(`is not JSON ${place}`.trim());
  }
}

function describeFailure(path: string, error: unknown): string {
  const { code, message } = error as { code?: string; message: string };
  if (code === 'ENOENT') return `${path} does not exist`;
  if (code !== undefined) return `${path} cannot be read (${code})`;
  return `${path} ${message}`;
}
