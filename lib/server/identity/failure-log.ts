import { log, processWide } from '@/lib/server/runtime';

/** How long one kind of failure is not logged again, in milliseconds. */
const INTERVAL_MS = 60_000;
const MAX_KINDS = 100;
const MAX_CAUSES = 5;

type Link = { error: string; reason?: string; message: string };

/**
 * Logs why the identity provider failed: the first failure of each kind, and then one line per minute with the number
 * of those in between.
 */
export function logProviderFailure(error: unknown, now = Date.now()): void {
  const kinds = processWide('provider-failures', () => new Map<string, { since: number; count: number }>());
  const causes = getCauses(error);
  const kind = causes.findLast(({ reason }) => reason !== undefined)?.reason ?? causes[0]?.error ?? 'unknown';
  const before = kinds.get(kind);
  if (before && now - before.since < INTERVAL_MS) {
    before.count += 1;
    return;
  }
  if (kinds.size >= MAX_KINDS) kinds.clear();
  kinds.set(kind, { since: now, count: 0 });
  log().error({ kind, suppressed: before?.count ?? 0, causes }, 'identity provider failed');
}

/** The error and its causes. Not under the name `code`, which redaction removes: here it is the kind of a failure. */
function getCauses(error: unknown): Link[] {
  const causes: Link[] = [];
  for (let at = error; at instanceof Error && causes.length < MAX_CAUSES; at = getCause(at)) {
    const { code } = at as { code?: unknown };
    const isCode = typeof code === 'string' && /^[A-Za-z][\w/-]{0,63}$/.test(code);
    causes.push({ error: at.name, ...(isCode && { reason: code }), message: dropCode(at.message) });
  }
  return causes;
}

function getCause(error: Error): unknown {
  return error instanceof AggregateError ? (error.errors[0] as unknown) : error.cause;
}

/** `Error code: ECONNREFUSED` reads like a secret named code. */
function dropCode(message: string): string {
  return message.replaceAll(/\bError code: ([A-Z_]+)\b/g, '$1');
}
