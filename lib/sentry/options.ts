import { redact } from '@/lib/redaction';
import { isDropped } from './drop-rules';

/** Same-origin path that error and replay traffic goes through (specification, section 7). */
export const TUNNEL_PATH = '/monitoring';

/** Shares of what is recorded (specification, section 9). */
export const RATES = { traces: 0.2, replaysOnError: 1, replays: 0.1 } as const;

type ReportedError = { type?: string; value?: string };
type Reportable = { exception?: { values?: ReportedError[] }; message?: string; sdkProcessingMetadata?: unknown };

/** Drops what nobody can act on, and takes secrets out of everything else. */
export function beforeSend<E extends Reportable>(event: E): E | null {
  const [thrown] = event.exception?.values ?? [];
  if (isDropped({ type: thrown?.type, message: thrown?.value ?? event.message ?? '' })) return null;
  return redactEvent(event);
}

/** The SDK's own notes hold live objects; they stay as they are and are never sent. */
function redactEvent<E extends Reportable>(event: E): E {
  const { sdkProcessingMetadata, ...sent } = event;
  return { ...redact(sent), sdkProcessingMetadata } as E;
}

/** What browser and server share. */
export function sentryOptions(service: { dsn: string; environment: string; release: string }) {
  return {
    ...service,
    debug: false,
    tracesSampleRate: RATES.traces,
    sendDefaultPii: false,
    beforeSend,
    beforeSendTransaction: <E extends Reportable>(event: E) => redactEvent(event),
    beforeBreadcrumb: <B extends object>(breadcrumb: B) => redact(breadcrumb),
  };
}
