/** A command of the operator's tool. */
export type Command = {
  /** A single line, for the list of commands. */
  summary: string;
  /** @param program how the user has called it, such as `node cli explain` */
  help: (program: string) => string;
  /**
   * @param args the command line after the command's name
   * @returns the exit code
   * @throws UsageError, or an error of `parseArgs`, for invalid arguments
   */
  run: (args: readonly string[]) => Promise<number>;
};

/** An error for arguments that a command does not accept. */
export class UsageError extends Error {
  override name = 'UsageError';
}

export const text = { type: 'string' } as const;
export const flag = { type: 'boolean', default: false } as const;
