/** Where unexpected errors go. The error service subscribes once it has loaded; until then they are kept. */
type Report = { error: unknown; context: Record<string, unknown> };
type Sink = (report: Report) => void;

const KEPT_AT_MOST = 50;
// On the server this module exists once a bundle (pages, API routes, the start hook), and all must reach one sink.
const STATE = Symbol.for('learner-identity.reports');
const holder = globalThis as { [STATE]?: { kept: Report[]; sink: Sink | undefined } };
const state = (holder[STATE] ??= { kept: [], sink: undefined });

/**
 * Reports an error that the learner is not to blame for. Never throws.
 * @param context plain facts for whoever reads the report; no secrets, no addresses with queries
 */
export function reportError(error: unknown, context: Record<string, unknown> = {}): void {
  if (state.sink) state.sink({ error, context });
  else if (state.kept.length < KEPT_AT_MOST) state.kept.push({ error, context });
}

/** Connects the error service and hands over what was kept. */
export function connectErrorSink(next: Sink): void {
  state.sink = next;
  const backlog = state.kept;
  state.kept = [];
  backlog.forEach(next);
}
