import type { PublicEnv } from '@/lib/config/public-env';
import { reportError } from '@/lib/sentry/report';
import { whenIdle } from '@/lib/when-idle';

/** Errors before the error service has loaded are kept, as far as they come from our own scripts. */
function keepError(event: ErrorEvent): void {
  if (event.filename.startsWith(window.location.origin)) reportError(event.error, { during: 'start' });
}

/** The configuration came with the page; pages without it report nothing. */
function sentryOf(data: { props?: { pageProps?: { publicEnv?: PublicEnv } } } | undefined): PublicEnv['sentry'] {
  return data?.props?.pageProps?.publicEnv?.sentry ?? null;
}

async function startReporting(service: NonNullable<PublicEnv['sentry']>): Promise<void> {
  const { startSentry } = await import('./sentry.client.config');
  window.removeEventListener('error', keepError);
  startSentry(service);
}

window.addEventListener('error', keepError);
window.addEventListener('load', () => {
  const service = sentryOf(window.__NEXT_DATA__);
  // An error service that cannot be loaded must not become an error itself.
  if (service) whenIdle(() => void startReporting(service).catch(() => undefined));
});
