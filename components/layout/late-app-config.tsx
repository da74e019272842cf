import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { AppConfigProvider } from '@/lib/config/app-config-context';
import { fetchAppConfig } from '@/lib/config/app-config-query';
import { pageConfigOf } from '@/lib/config/brand-colour';
import { usePublicEnv } from '@/lib/config/public-env-context';
import { FETCHING, queryClient } from '@/lib/query-client';

type Props = { loader: ReactNode; children: ReactNode };

/** Fetches the app config in the browser when it was late on the server. Loaded on demand. */
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
      return config && pageConfigOf(config);
    },
    staleTime: FETCHING.stale,
  });
  // Undefined while it is under way, null when it failed.
  if (data === undefined) return loader;
  return <AppConfigProvider value={data}>{children}</AppConfigProvider>;
}
