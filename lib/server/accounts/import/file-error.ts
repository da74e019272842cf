const WORDS: Record<string, string> = {
  ENOENT: 'there is no such file, or no such folder',
  EISDIR: 'it is a folder',
  EACCES: 'this user has no permission',
  EPERM: 'this user has no permission',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would be larger than the system allows',
};

/**
 * Runs a file operation.
 * @param failed what could not be done, as `people.csv cannot be read`
 * @param action what to do about it
 * @throws Error in words, instead of the one of the system
 */
export function withFile<T>(failed: string, operate: () => T, action?: string): T {
  try {
    return operate();
  } catch (error) {
    throw toFileError(failed, error, action);
  }
}

/** The error of a file operation in words; any other error as it is. */
export function toFileError(failed: string, error: unknown, action?: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (!(error instanceof Error) || code === undefined) return error;
  return new Error([`${failed}: ${WORDS[code] ?? code}.`, action].filter(Boolean).join(' '));
}
