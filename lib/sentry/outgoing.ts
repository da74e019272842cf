import type { init } from '@sentry/nextjs';
import { redact, redactJson } from '@/lib/redaction';

type Client = NonNullable<ReturnType<typeof init>>;
type Transport = NonNullable<ReturnType<Client['getTransport']>>;
type Envelope = Parameters<Transport['send']>[0];
type Item = [header: Record<string, unknown>, payload: unknown];

/**
 * Lets everything that an error service's client sends pass the redaction: events, traces and replays leave by no
 * other way.
 */
export function redactOutgoing(client: Pick<Client, 'getTransport'> | undefined): void {
  const transport = client?.getTransport();
  if (!transport) return;
  const send = transport.send.bind(transport);
  transport.send = (envelope) => send(redactEnvelope(envelope));
}

/** The envelope's own header names the service and nothing of the learner. */
export function redactEnvelope(envelope: Envelope): Envelope {
  const [header, items] = envelope as [unknown, Item[]];
  return [header, items.flatMap(redactItem)] as unknown as Envelope;
}

/** What cannot be read does not leave. */
function redactItem([header, payload]: Item): Item[] {
  if (typeof payload === 'object' && payload !== null && !ArrayBuffer.isView(payload))
    return [[header, redact(withoutRequestContents(payload))]];
  if (typeof payload !== 'string') return [];
  try {
    const text = payload.split('\n').map(redactJson).join('\n');
    return [[{ ...header, length: new TextEncoder().encode(text).length }, text]];
  } catch {
    return [];
  }
}

/** Of a request its method, address and kind of browser are enough: bodies hold passwords, cookies and headers sessions. */
function withoutRequestContents(event: object): object {
  if (!('request' in event) || typeof event.request !== 'object' || event.request === null) return event;
  const { method, url, headers } = event.request as { method?: unknown; url?: unknown; headers?: object };
  const agent = Object.entries(headers ?? {}).filter(([name]) => /^user-agent$/i.test(name));
  return { ...event, request: { method, url, headers: Object.fromEntries(agent) } };
}
