/**
 * Sink for unexpected errors. The error reporting service subscribes once it has loaded; until then they are queued.
 */
/** `account` is the hash of the log: an id would tell a reader of reports who it is. */
type Context = Record<string, unknown> & { uid?: never };
type Report = { error: unknown; context: Context; isOutage?: true };
type Sink = (report: Report) => void;

const KEPT_AT_MOST = 50;
// On the server each bundle (pages, API routes, the start hook) has its own copy of this module, and all must share one
// sink.
const STATE = Symbol.for('learner-identity.reports');
const holder = globalThis as { [STATE]?: { kept: Report[]; sink: Sink | undefined } };
const state = (holder[STATE] ??= { kept: [], sink: undefined });

/**
 * Reports an error that the learner did not cause. Never throws.
 * @param context facts for the reader of the report; no secrets, no URLs with queries
 */
export function reportError(error: unknown, context: Context = {}): void {
  send({ error, context });
}

/**
 * Reports that a service cannot be reached, once per outage: no bug of this app, and the log says so.
 * @param during what the outage means here
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
