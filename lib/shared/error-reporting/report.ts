// Sink for unexpected errors. They are queued until the error reporting service has loaded and subscribes.

/** Use `account` with the hash that the log has. A `uid` would reveal the user to a reader of reports. */
type Context = Record<string, unknown> & { uid?: never };
type Report = { error: unknown; context: Context; isOutage?: true };
type Sink = (report: Report) => void;

const KEPT_AT_MOST = 50;
// On the server, each bundle (pages, API routes, the start hook) has a copy of this module. All copies must share a sink.
const STATE = Symbol.for('learner-identity.reports');
const holder = globalThis as { [STATE]?: { kept: Report[]; sink: Sink | undefined } };
const state = (holder[STATE] ??= { kept: [], sink: undefined });

/**
 * Reports an error that the learner did not cause. Never throws.
 * @param context facts for the reader of the report, without secrets or URLs with queries
 */
export function reportError(error: unknown, context: Context = {}): void {
  send({ error, context });
}

/**
 * Reports an unreachable service once per outage. The log marks it as an outage, because it is not a bug of this app.
 * @param during what the outage affects here
 */
export function reportOutage(error: unknown, during: string): void {
  send({ error, context: { during }, isOutage: true });
}

function send(report: Report): void {
  if (state.sink) state.sink(report);
  else if (state.kept.length < KEPT_AT_MOST) state.kept.push(report);
}

/** Connects the error reporting service and flushes the queued errors. */
export function connectErrorSink(next: Sink): void {
  state.sink = next;
  const backlog = state.kept;
  state.kept = [];
  backlog.forEach(next);
}
