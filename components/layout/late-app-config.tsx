import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { useEffect, type ReactNode } from 'react';
import { AppConfigProvider, usePublicEnv } from '@/lib/browser/config/context';
import { toPageConfig } from '@/lib/shared/config/brand-color';
import { BrandHead } from './brand-head';
import { FETCHING, queryClient } from '@/lib/browser/query-client';
import { useLanguage } from '@/lib/browser/use-messages';
import { promiseTimeout } from '@/lib/shared/promise-timeout';
import { apiPaths } from '@/lib/shared/api-paths';
import { reportError } from '@/lib/shared/error-reporting/report';
import { type AppConfig, parseAppConfig } from '@/lib/shared/config/app-config';
import type { PublicEnv } from '@/lib/shared/config/public-env';

type Props = { loader: ReactNode; children: ReactNode };

/** Fetches the app config in the browser if the server did not get it in time. Loaded on demand. */
export default function LateAppConfig(props: Props) {
  return (
    <QueryClientProvider client={queryClient()}>
      <Fetched {...props} />
    </QueryClientProvider>
  );
}

function Fetched({ loader, children }: Props) {
  const env = usePublicEnv();
  const language = useLanguage();
  const { data } = useQuery({
    queryKey: ['app-config', window.location.origin],
    queryFn: async () => {
      const config = await fetchAppConfig(env, window.location.origin);
      return config && toPageConfig(config, language);
    },
    staleTime: FETCHING.stale,
  });
  useEffect(() => {
    // The document has the icon of this app (pages/_document.tsx).
    if (data?.favicon !== undefined) document.querySelector('link[rel=icon]')?.setAttribute('href', data.favicon);
  }, [data]);
  // Undefined while loading, null on failure.
  if (data === undefined) return loader;
  return (
    <AppConfigProvider value={data}>
      <BrandHead />
      {children}
    </AppConfigProvider>
  );
}

/** How long a page waits for the config before it falls back to its defaults, in milliseconds. */
const REQUEST_TIMEOUT_MS = 5_000;

/**
 * Fetches an origin's config from the identity host (docs/product.md#calls).
 * @returns the valid part, or null after a failure, which it has reported
 */
export async function fetchAppConfig(env: PublicEnv, origin: string): Promise<AppConfig | null> {
  const address = new URL(`${apiPaths.configByOrigin}/${encodeURIComponent(origin)}`, env.identityOrigin);
  try {
    const response = await promiseTimeout(fetch(address, { credentials: 'include' }), REQUEST_TIMEOUT_MS);
    if (!response.ok) throw new Error(`The app config answered ${String(response.status)}`);
    const { config, dropped } = parseAppConfig(await response.json());
    if (dropped.length > 0) reportError(new Error('The app config has invalid fields'), { dropped });
    return config;
  } catch (error) {
    reportError(error, { during: 'loading the app config' });
    return null;
  }
}
