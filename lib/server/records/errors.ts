/** SQLSTATE classes of a server that cannot serve: connection lost, resources exhausted, shutdown, time-out. */
const AWAY = /^(?:08|53|57)\w{3}$|^E[A-Z]+(?:_[A-Z]+)?$|^CONNECTION$/;

/** SQLSTATE of a serialization failure and of a deadlock: the same transaction can succeed when it runs again. */
const CONFLICTS = ['40001', '40P01'];

/**
 * A failed query. It has only the kind of failure: the driver's message contains parameters and its `detail` contains
 * the row, and errors are logged and reported.
 */
export class RecordsError extends Error {
  override name = 'RecordsError';

  /**
   * @param code SQLSTATE or system error code; `CONNECTION` for a connection lost or not obtained in time
   * @param constraint name of the violated constraint
   */
  constructor(
    readonly code: string,
    readonly constraint?: string,
  ) {
    super(`A query failed: ${[code, constraint].filter(Boolean).join(', ')}`);
  }

  /** The database cannot be reached, or not in time. */
  get isAway(): boolean {
    return AWAY.test(this.code);
  }

  /** The transaction lost against a concurrent one, and can be repeated. */
  get isConflict(): boolean {
    return CONFLICTS.includes(this.code);
  }
}

/**
 * Use this instead of `instanceof`: the database may have been opened by another bundle, with its own copy of the class
 * (process-wide.ts).
 */
export function isRecordsError(value: unknown): value is RecordsError {
  return value instanceof Error && value.name === 'RecordsError';
}

/** The error of a driver without anything that may contain data. */
export function toRecordsError(error: unknown): RecordsError {
  if (isRecordsError(error)) return error;
  const source = getSource(error);
  const wrapped = new RecordsError(getCode(source), getName(source, 'constraint'));
  const frames = error instanceof Error ? (error.stack?.match(/^ {4}at .*$/gm) ?? []) : [];
  wrapped.stack = [`${wrapped.name}: ${wrapped.message}`, ...frames].join('\n');
  return wrapped;
}

/** The driver's own error: drizzle-orm puts it into `cause`, and Node the first failed address into `errors`. */
function getSource(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (error instanceof AggregateError) return getSource(error.errors[0]);
  return error.cause === undefined ? error : getSource(error.cause);
}

function getCode(source: unknown): string {
  const code = getName(source, 'code');
  if (code !== undefined) return code;
  if (!(source instanceof Error)) return 'unknown';
  // The pool and the client of `pg` give these no code.
  if (/time(?:d )?out|terminated|not queryable/i.test(source.message)) return 'CONNECTION';
  return source.message.includes('does not support SSL') ? 'NO_TLS' : source.name;
}

function getName(source: unknown, name: 'code' | 'constraint'): string | undefined {
  const value = typeof source === 'object' && source !== null ? (source as Record<string, unknown>)[name] : undefined;
  return typeof value === 'string' && /^\w{1,63}$/.test(value) ? value : undefined;
}
