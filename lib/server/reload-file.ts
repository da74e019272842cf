import { readFile, stat } from 'node:fs/promises';
import { reportError } from '@/lib/shared/error-reporting/report';

/**
 * Reads a JSON file, and reloads it when it changes. Errors are reported once per version, and keep the last valid
 * value.
 * @param parse validates the content; given the last valid value
 * @param during what an error report says was being done
 * @returns a function that returns the value, or null before the first successful read
 */
export function createReloadingReader<T>(
  path: string,
  parse: (content: unknown, before: T | null) => T,
  during: string,
): () => Promise<T | null> {
  let last: { version: number; value: T | null } = { version: Number.NaN, value: null };
  const read = async (): Promise<T | null> => {
    try {
      return parse(JSON.parse(await readFile(path, 'utf8')), last.value);
    } catch (error) {
      reportError(error, { during });
      return last.value;
    }
  };
  return async () => {
    const { mtimeMs: version } = await stat(path).catch(() => ({ mtimeMs: -1 }));
    if (version !== last.version) last = { version, value: await read() };
    return last.value;
  };
}
