import type { PublicEnv } from '@/lib/shared/config/public-env';
import { keepEarlyErrors } from '@/lib/browser/error-reporting/early-errors';
import { whenSettled } from '@/lib/browser/hooks';

/** Reads the configuration from the page's data. Pages without it report nothing. */
function getSentry(data: { props?: { pageProps?: { publicEnv?: PublicEnv } } } | undefined): PublicEnv['sentry'] {
  return data?.props?.pageProps?.publicEnv?.sentry ?? null;
}

async function startReporting(service: NonNullable<PublicEnv['sentry']>): Promise<void> {
  const { startSentry } = await import('./sentry.client.config');
  stopKeeping();
  startSentry(service);
}

const stopKeeping = keepEarlyErrors(window);
whenSettled(() => {
  const service = getSentry(window.__NEXT_DATA__);
  // A failure to load the error service must not raise another error.
  if (service) void startReporting(service).catch(() => undefined);
});
