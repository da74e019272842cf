import { readFile, stat } from 'node:fs/promises';
import { reportError } from '@/lib/shared/error-reporting/report';
import { promiseTimeout } from '@/lib/shared/promise-timeout';

/** How long a reader waits for the check for changes before it gets the value in force, in milliseconds: less than a page waits. */
const CHECK_TIMEOUT_MS = 300;

/** A problem of a file, and the names that locate it in there. */
export type FileProblem = { message: string; context: Record<string, string> };
/** `notes`: what is valid, and worth knowing. */
export type ParsedFile<T> = { value: T; problems: FileProblem[]; notes?: FileProblem[] };
/**
 * `isUsable`: whether a value is in force, of this version or of an earlier one; `loadedAt`: when that one was read,
 * milliseconds since 1970.
 */
export type FileState = {
  problems: readonly FileProblem[];
  notes: readonly FileProblem[];
  isUsable: boolean;
  loadedAt: number | null;
};
export type ReloadingFile<T> = {
  /** The value in force; null before the first successful read. On a busy machine, a change may take effect one read later. */
  read: () => Promise<T | null>;
  getState: () => Promise<FileState>;
};

/**
 * Reads a JSON file, and reloads it when it changes. Problems are reported once per version; a file that cannot be
 * used keeps the last valid value.
 * @param variable that names the file, for reports
 * @param parse validates the content; given the last valid value
 */
export function createReloadingFile<T>(
  variable: string,
  path: string,
  parse: (content: unknown, before: T | null) => ParsedFile<T>,
): ReloadingFile<T> {
  type Loaded = ParsedFile<T | null> & { loadedAt: number | null };
  let last: Loaded & { version: number } = { version: Number.NaN, value: null, problems: [], loadedAt: null };
  const load = async (): Promise<Loaded> => {
    try {
      return { ...parse(parseJson(await readText(path)), last.value), loadedAt: Date.now() };
    } catch (error) {
      const { value, loadedAt } = last;
      return { value, problems: [{ message: describeFailure(path, error), context: {} }], loadedAt };
    }
  };
  const check = async () => {
    const { mtimeMs: version } = await stat(path).catch(() => ({ mtimeMs: -1 }));
    if (version === last.version) return last;
    last = { version, ...(await load()) };
    for (const { message, context } of last.problems) reportError(new Error(message), { variable, ...context });
    return last;
  };
  let checking: ReturnType<typeof check> | null = null;
  // Concurrent readers share a check: under load, asking the file system is a large part of a request.
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

/** Without the byte order mark that some editors write. */
async function readText(path: string): Promise<string> {
  return (await readFile(path, 'utf8')).replace(/^\ufeff/, '');
}

/** The parser's own message quotes the file, which may be private keys: it is logged and reported without. */
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
