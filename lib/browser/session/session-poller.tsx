import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { clearStorage } from '@/lib/browser/auth/provider/clear-storage';
import { queryClient } from '@/lib/browser/query-client';
import { watchActivity } from './activity';
import { checkAuthStatus } from './api';
import { handleOutcome, type SessionOutcome } from './handle-outcome';
import { getPageAccount } from './page-account';
import { renewSessionWhenDue } from './renewal';
import { onMessage } from './tab-sync';

/** Polling interval of the session check, in milliseconds (docs/product.md#constants). */
export const POLL_INTERVAL_MS = 120_000;

type Props = {
  env: PublicEnv;
  /** The loop guard stopped a redirect to the callback: this page must not start another one. */
  bounced: boolean | null;
};

/**
 * Checks the session while the user is active: immediately, every 120 s, on focus and when the network returns
 * (docs/product.md#session). Loaded on demand, only if the session hint says that the user is signed in.
 */
export default function SessionPoller(props: Props) {
  return (
    <QueryClientProvider client={queryClient()}>
      <Poll {...props} />
    </QueryClientProvider>
  );
}

function Poll({ env, bounced }: Props) {
  const idle = useIdle();
  const { data, dataUpdatedAt, refetch } = useQuery({
    queryKey: ['session'],
    queryFn: fetchOutcome,
    staleTime: POLL_INTERVAL_MS,
    refetchInterval: idle ? false : POLL_INTERVAL_MS,
    refetchOnWindowFocus: 'always',
    refetchOnReconnect: 'always',
  });

  useEffect(() => {
    if (!data) return;
    handleOutcome(env, data, bounced);
    // The identity provider's user of a page that shows another account may be that account's.
    if (data.live && data.session.uid === getPageAccount()) void renewSessionWhenDue(env, data.session);
  }, [env, data, dataUpdatedAt, bounced]);

  useEffect(() => {
    // Active again after a check was due.
    if (!idle && dataUpdatedAt > 0 && Date.now() - dataUpdatedAt >= POLL_INTERVAL_MS) void refetch();
  }, [idle, dataUpdatedAt, refetch]);

  useEffect(
    () =>
      onMessage((message) => {
        // Session storage and analytics state are per tab.
        if (message === 'device-cleared') clearStorage();
        // It may be another account's now.
        if (message === 'signed-in' || message === 'session-changed') void refetch();
      }),
    [refetch],
  );

  useEffect(() => {
    const recheck = (event: PageTransitionEvent) => {
      if (event.persisted) void refetch();
    };
    window.addEventListener('pageshow', recheck);
    return () => window.removeEventListener('pageshow', recheck);
  }, [refetch]);

  return null;
}

/** @throws Error when the response is inconclusive, so that it is retried */
async function fetchOutcome(): Promise<SessionOutcome> {
  const result = await checkAuthStatus();
  if (result.ok) return { live: true, session: result.data };
  if (result.status === 401) return { live: false, deleted: result.code === 'user-deleted' };
  throw new Error(`The session could not be checked: ${result.code}`);
}

function useIdle(): boolean {
  const [idle, setIdle] = useState(false);
  useEffect(() => watchActivity(setIdle).stop, []);
  return idle;
}
