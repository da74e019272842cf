import type { PublicEnv } from '@/lib/config/public-env';
import { keepEarlyErrors } from '@/lib/sentry/early-errors';
import { whenSettled } from '@/lib/when-idle';

/** The configuration came with the page; pages without it report nothing. */
function sentryOf(data: { props?: { pageProps?: { publicEnv?: PublicEnv } } } | undefined): PublicEnv['sentry'] {
  return data?.props?.pageProps?.publicEnv?.sentry ?? null;
}

async function startReporting(service: NonNullable<PublicEnv['sentry']>): Promise<void> {
  const { startSentry } = await import('./sentry.client.config');
  stopKeeping();
  startSentry(service);
}

const stopKeeping = keepEarlyErrors(window);
whenSettled(() => {
  const service = sentryOf(window.__NEXT_DATA__);
  // An error service that cannot be loaded must not become an error itself.
  if (service) void startReporting(service).catch(() => undefined);
});
