import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { AppConfigProvider, usePublicEnv } from '@/lib/browser/config/context';
import { fetchAppConfig } from '@/lib/browser/config/app-config-query';
import { toPageConfig } from '@/lib/shared/config/brand-color';
import { FETCHING, queryClient } from '@/lib/browser/query-client';

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
  const { data } = useQuery({
    queryKey: ['app-config', window.location.origin],
    queryFn: async () => {
      const config = await fetchAppConfig(env, window.location.origin);
      return config && toPageConfig(config);
    },
    staleTime: FETCHING.stale,
  });
  // Undefined while loading, null on failure.
  if (data === undefined) return loader;
  return <AppConfigProvider value={data}>{children}</AppConfigProvider>;
}
