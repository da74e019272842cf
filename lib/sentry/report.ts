/** Where unexpected errors go. The error service subscribes once it has loaded; until then they are kept. */
type Report = { error: unknown; context: Record<string, unknown> };
type Sink = (report: Report) => void;

const KEPT_AT_MOST = 50;
let kept: Report[] = [];
let sink: Sink | undefined;

/**
 * Reports an error that the learner is not to blame for. Never throws.
 * @param context plain facts for whoever reads the report; no secrets, no addresses with queries
 */
export function reportError(error: unknown, context: Record<string, unknown> = {}): void {
  if (sink) sink({ error, context });
  else if (kept.length < KEPT_AT_MOST) kept.push({ error, context });
}

/** Connects the error service and hands over what was kept. */
export function connectErrorSink(next: Sink): void {
  sink = next;
  const backlog = kept;
  kept = [];
  backlog.forEach(next);
}
