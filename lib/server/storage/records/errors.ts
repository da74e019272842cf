/**
 * SQLSTATE classes of a server that cannot serve: connection lost, resources exhausted, shutdown, timeout. Includes
 * 25006 of a read-only server, as during a failover.
 */
const AWAY = /^(?:08|53|57)\w{3}$|^25006$|^E[A-Z]+(?:_[A-Z]+)?$|^CONNECTION$/;

/** SQLSTATE classes of a server that refuses a connection because of its user, password or database. */
const REFUSED = /^(?:28|3D)\w{3}$/;

/** Error codes of Node.js if the server's certificate is not trusted, for example because it has expired. */
const UNTRUSTED = /^(?:CERT_|ERR_(?:TLS|SSL)_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|NO_TLS$)/;

/** SQLSTATE `read_only_sql_transaction`. */
export const READ_ONLY = '25006';

/** Code of a database that lacks a migration of this build. */
export const NOT_MIGRATED = 'NOT_MIGRATED';

/** The reason and remedy of a code, for operators. */
const WORDS: Record<string, { reason: string; action: string }> = {
  '28P01': { reason: 'wrong password', action: 'Correct user and password in DATABASE_URL' },
  '28000': {
    reason: 'the server refuses this user',
    action: "Check the server's pg_hba.conf, and whether it requires TLS (?sslmode=verify-full)",
  },
  '3D000': { reason: 'no such database', action: 'Create the database (createdb), owned by the user of DATABASE_URL' },
  [READ_ONLY]: { reason: 'read-only', action: 'Name the primary server in DATABASE_URL; during a failover, wait' },
  [NOT_MIGRATED]: {
    reason: 'migrations are missing, so run first: node cli migrate',
    action: 'Run: node cli migrate',
  },
  '42501': {
    reason: 'no permission',
    action: 'Let the user of DATABASE_URL own the database and its tables: restore a backup as this user',
  },
  '53300': {
    reason: 'too many connections',
    action: 'Raise max_connections of the server: each process uses up to 10',
  },
  '55P03': {
    reason: 'another session holds a lock for too long',
    action: 'Start again when the dump or the transaction that holds it has ended (pg_locks)',
  },
  '57P03': { reason: 'the server is starting or shutting down', action: 'Wait' },
  NO_TLS: {
    reason: 'the server has no TLS',
    action: 'Enable TLS at the server; without it, only on a network of your own, remove sslmode from DATABASE_URL',
  },
  CERT_HAS_EXPIRED: {
    reason: "the server's certificate has expired",
    action: 'Renew the certificate of the database server',
  },
  NO_PASSWORD: { reason: 'the server requires a password', action: 'Add the password to DATABASE_URL' },
  CONNECTION: {
    reason: 'no connection in time',
    action: 'Check host and port in DATABASE_URL, and that this machine may connect',
  },
  ECONNREFUSED: {
    reason: 'no server listens there',
    action: 'Start the server, or correct host and port in DATABASE_URL',
  },
  ENOTFOUND: { reason: 'no such host', action: 'Correct the host in DATABASE_URL' },
};

/** Describes a failed query for operators, with its code. */
export function describeRecordsError({ code, constraint }: Pick<RecordsError, 'code' | 'constraint'>): {
  reason: string;
  action: string;
} {
  const { reason = 'a query failed', action = 'Check DATABASE_URL, and the log of the server' } = WORDS[code] ?? {};
  return { reason: `${reason} (${[code, constraint].filter(Boolean).join(', ')})`, action };
}

/** SQLSTATE of a serialization failure and of a deadlock. The same transaction can succeed in another run. */
const CONFLICTS = ['40001', '40P01'];

/**
 * A failed query. It contains only the kind of failure, because errors are logged and reported. The driver's message
 * contains parameters, and its `detail` contains the row.
 */
export class RecordsError extends Error {
  override name = 'RecordsError';

  /**
   * @param code SQLSTATE or system error code; `CONNECTION` for a connection lost or not obtained in time
   * @param constraint name of the violated constraint, or of the missing migration
   */
  constructor(
    readonly code: string,
    readonly constraint?: string,
  ) {
    super(`A query failed: ${[code, constraint].filter(Boolean).join(', ')}`);
  }

  /** Whether the database is unreachable or too slow. */
  get isAway(): boolean {
    return AWAY.test(this.code);
  }

  /**
   * Whether the database is unusable: unavailable, refusing this process (for example while a password is replaced),
   * untrusted, or not migrated. At the start, all but the first are mistakes of the operator.
   */
  get isUnavailable(): boolean {
    return this.isAway || REFUSED.test(this.code) || UNTRUSTED.test(this.code) || this.code === NOT_MIGRATED;
  }

  get isConflict(): boolean {
    return CONFLICTS.includes(this.code);
  }
}

/**
 * Use this instead of `instanceof`. Another bundle with its own copy of the class may have opened the database
 * (lib/server/runtime/process.ts).
 */
export function isRecordsError(value: unknown): value is RecordsError {
  return value instanceof Error && value.name === 'RecordsError';
}

/** Converts a driver's error to an error without data. */
export function toRecordsError(error: unknown): RecordsError {
  if (isRecordsError(error)) return error;
  const source = getSource(error);
  const wrapped = new RecordsError(getCode(source), getName(source, 'constraint'));
  const frames = error instanceof Error ? (error.stack?.match(/^ {4}at .*$/gm) ?? []) : [];
  wrapped.stack = [`${wrapped.name}: ${wrapped.message}`, ...frames].join('\n');
  return wrapped;
}

/**
 * Returns the driver's own error. drizzle-orm puts it into `cause`, and Node.js puts the first failed address into
 * `errors`.
 */
function getSource(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (error instanceof AggregateError) return getSource(error.errors[0]);
  return error.cause === undefined ? error : getSource(error.cause);
}

function getCode(source: unknown): string {
  const code = getName(source, 'code');
  if (code !== undefined) return code;
  if (!(source instanceof Error)) return 'unknown';
  // The pool and client of `pg` set no code for these errors.
  if (/time(?:d )?out|terminated|not queryable/i.test(source.message)) return 'CONNECTION';
  if (source.message.includes('password must be a string')) return 'NO_PASSWORD';
  return source.message.includes('does not support SSL') ? 'NO_TLS' : source.name;
}

function getName(source: unknown, name: 'code' | 'constraint'): string | undefined {
  const value = typeof source === 'object' && source !== null ? (source as Record<string, unknown>)[name] : undefined;
  return typeof value === 'string' && /^\w{1,63}$/.test(value) ? value : undefined;
}
