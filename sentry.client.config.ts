import * as Sentry from '@sentry/nextjs';
import type { PublicEnv } from '@/lib/config/public-env';
import { supportCode } from '@/lib/self-check/support-code';
import { RATES, sentryOptions, TUNNEL_PATH } from '@/lib/sentry/options';
import { redactOutgoing } from '@/lib/sentry/outgoing';
import { REPLAY } from '@/lib/sentry/replay';
import { connectErrorSink } from '@/lib/sentry/report';

/** Starts error reports and replays in the browser. Loaded by instrumentation-client.ts once the page is usable. */
export function startSentry(service: NonNullable<PublicEnv['sentry']>): void {
  const { maskAllText, blockAllMedia, flushMinDelay, flushMaxDelay } = REPLAY;
  // Compressed recordings could not be redacted, and compressing needs a worker that a strict policy forbids.
  const replay = { maskAllText, blockAllMedia, flushMinDelay, flushMaxDelay, useCompression: false };
  // As it is before it is watched.
  const send = window.fetch.bind(window);
  const client = Sentry.init({
    ...sentryOptions(service),
    tunnel: TUNNEL_PATH,
    transport: (options: Parameters<typeof Sentry.makeFetchTransport>[0]) =>
      Sentry.makeFetchTransport(options, outlivingThePage(send)),
    // Extensions and injected scripts are not ours to mend.
    allowUrls: [window.location.origin],
    replaysOnErrorSampleRate: RATES.replaysOnError,
    replaysSessionSampleRate: RATES.replays,
    integrations: [Sentry.replayIntegration(replay)],
  });
  redactOutgoing(client);
  // Support finds what a learner tells of by the code that the self-check gave them.
  client?.addEventProcessor((event) => {
    const code = supportCode();
    return code === null ? event : { ...event, tags: { ...event.tags, support_code: code } };
  });
  connectErrorSink(({ error, context }) => Sentry.captureException(error, { extra: context }));
}

/**
 * Requests that outlive their page may hold 64 KiB together (Fetch, section 4.6), also those that were answered a moment
 * ago: what is refused for that goes out as an ordinary request.
 */
function outlivingThePage(send: typeof fetch): typeof fetch {
  return (address, init) =>
    send(address, init).catch((error: unknown) => {
      if (!init?.keepalive) throw error;
      return send(address, { ...init, keepalive: false });
    });
}
