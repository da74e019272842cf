import { isDropped } from './drop-rules';

/** Same-origin path that proxies error and replay traffic (docs/product.md#analytics-and-error-reporting). */
export const TUNNEL_PATH = '/monitoring';

/** Sample rates (docs/product.md#constants). */
export const RATES = { traces: 0.2, replaysOnError: 1, replays: 0.1 } as const;

type ReportedError = { type?: string; value?: string };
type Reportable = { exception?: { values?: ReportedError[] }; message?: string };

/** Drops errors that are not actionable. */
export function beforeSend<E extends Reportable>(event: E): E | null {
  const [thrown] = event.exception?.values ?? [];
  return isDropped({ type: thrown?.type, message: thrown?.value ?? event.message ?? '' }) ? null : event;
}

/** Options shared by browser, server and edge; the transport redacts secrets (./outgoing). */
export function sentryOptions(service: { dsn: string; environment: string; release: string }) {
  return { ...service, debug: false, tracesSampleRate: RATES.traces, sendDefaultPii: false, beforeSend };
}
