import * as Sentry from '@sentry/nextjs';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { getLastRequestId } from '@/lib/browser/api-client';
import { getSupportCode } from '@/lib/browser/self-check/support-code';
import { RATES, REPLAY, TUNNEL_PATH, redactedTransport, sentryOptions } from '@/lib/shared/error-reporting/options';
import { connectErrorSink } from '@/lib/shared/error-reporting/report';

/** Starts error reporting and replays in the browser. Loaded by instrumentation-client.ts once the page is usable. */
export function startSentry(service: NonNullable<PublicEnv['sentry']>): void {
  const { maskAllText, blockAllMedia, flushMinDelay, flushMaxDelay } = REPLAY;
  // Compressed recordings cannot be redacted, and compression needs a worker that a strict CSP blocks.
  const replay = { maskAllText, blockAllMedia, flushMinDelay, flushMaxDelay, useCompression: false };
  // The original fetch, before the SDK instruments it.
  const send = window.fetch.bind(window);
  const client = Sentry.init({
    ...sentryOptions(service),
    tunnel: TUNNEL_PATH,
    transport: redactedTransport((options: Parameters<typeof Sentry.makeFetchTransport>[0]) =>
      Sentry.makeFetchTransport(options, outlivingThePage(send)),
    ),
    // Ignore errors of extensions and injected scripts, because this app cannot fix them.
    allowUrls: [window.location.origin],
    replaysOnErrorSampleRate: RATES.replaysOnError,
    replaysSessionSampleRate: RATES.replays,
    integrations: [Sentry.replayIntegration(replay)],
  });
  // Support finds a learner's error reports by the support code from the self-check, and finds the last call in the
  // log.
  client?.addEventProcessor((event) => {
    const [code, requestId] = [getSupportCode(), getLastRequestId()];
    const tags = { ...(code !== null && { support_code: code }), ...(requestId !== null && { request_id: requestId }) };
    return { ...event, tags: { ...event.tags, ...tags } };
  });
  connectErrorSink(({ error, context }) => Sentry.captureException(error, { extra: context }));
}

/**
 * Retries a request without keepalive. All keepalive requests together may hold 64 KiB (Fetch, section 4.6), including
 * recently completed requests.
 */
function outlivingThePage(send: typeof fetch): typeof fetch {
  return (address, init) =>
    send(address, init).catch((error: unknown) => {
      if (!init?.keepalive) throw error;
      return send(address, { ...init, keepalive: false });
    });
}
