import type { BaseTransportOptions, Envelope, Transport } from '@sentry/core';
import { redact, redactJson } from '@/lib/shared/redaction/redact';

type Item = [header: Record<string, unknown>, payload: unknown];

/**
 * Redacts everything that an error reporting client sends: its transport is the only outlet for events, traces and
 * replays.
 * @param makeTransport creates the transport that sends the envelopes
 * @returns a value for the client's `transport` option
 */
export function redactedTransport<Options extends BaseTransportOptions>(
  makeTransport: (options: Options) => Transport,
): (options: Options) => Transport {
  return (options) => {
    const transport = makeTransport(options);
    return {
      send: (envelope) => transport.send(redactEnvelope(envelope)),
      flush: (timeout) => transport.flush(timeout),
    };
  };
}

/** The envelope's own header names the service and contains no learner data. */
export function redactEnvelope(envelope: Envelope): Envelope {
  const [header, items] = envelope as [unknown, Item[]];
  return [header, items.flatMap(redactItem)] as unknown as Envelope;
}

/** Drop unparsable items: they cannot be redacted. */
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

/** Keep only the method, URL and user agent of a request: bodies hold passwords, cookies and headers hold sessions. */
function withoutRequestContents(event: object): object {
  if (!('request' in event) || typeof event.request !== 'object' || event.request === null) return event;
  const { method, url, headers } = event.request as { method?: unknown; url?: unknown; headers?: object };
  const agent = Object.entries(headers ?? {}).filter(([name]) => /^user-agent$/i.test(name));
  return { ...event, request: { method, url, headers: Object.fromEntries(agent) } };
}
