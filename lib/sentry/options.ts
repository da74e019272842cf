import { isDropped } from './drop-rules';

/** Same-origin path that error and replay traffic goes through (specification, section 7). */
export const TUNNEL_PATH = '/monitoring';

/** Shares of what is recorded (specification, section 9). */
export const RATES = { traces: 0.2, replaysOnError: 1, replays: 0.1 } as const;

type ReportedError = { type?: string; value?: string };
type Reportable = { exception?: { values?: ReportedError[] }; message?: string };

/** Drops what nobody can act on. */
export function beforeSend<E extends Reportable>(event: E): E | null {
  const [thrown] = event.exception?.values ?? [];
  return isDropped({ type: thrown?.type, message: thrown?.value ?? event.message ?? '' }) ? null : event;
}

/** What browser, server and edge share; secrets are taken out on the way (./outgoing). */
export function sentryOptions(service: { dsn: string; environment: string; release: string }) {
  return { ...service, debug: false, tracesSampleRate: RATES.traces, sendDefaultPii: false, beforeSend };
}
