/** A command of the operator's tool. */
export type Command = {
  /** One line, for the list of commands. */
  summary: string;
  /** @param program how the user has called it, as `node cli explain` */
  help: (program: string) => string;
  /**
   * @param args as on the command line, after the command's name
   * @returns the exit code
   * @throws UsageError, or an error of `parseArgs`, for arguments that it does not accept
   */
  run: (args: readonly string[]) => Promise<number>;
};

/** Arguments that a command does not accept. */
export class UsageError extends Error {
  override name = 'UsageError';
}

export const text = { type: 'string' } as const;
export const flag = { type: 'boolean', default: false } as const;
