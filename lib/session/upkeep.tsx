import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { PublicEnv } from '@/lib/config/public-env';
import { queryClient } from '@/lib/query-client';
import { watchActivity } from './activity';
import { checkAuthStatus } from './client';
import type { SessionStatus } from './contract';
import { renewSessionWhenDue } from './renewal';

/** How often a session is asked after, in milliseconds (specification, section 9). */
export const RECHECK_INTERVAL = 120_000;

export type SessionOutcome =
  | { live: true; session: SessionStatus }
  /** `deleted`: because the account is no more. */
  | { live: false; deleted: boolean };

type Props = {
  env: PublicEnv;
  /** Told after every check that decided something; a server that cannot tell decides nothing. */
  onOutcome: (outcome: SessionOutcome) => void;
};

/**
 * Asks after the session while the person is there: at once, every 120 s, on focus and when the network returns
 * (product decisions, 3). Loaded on demand, only for people who are believed to be signed in.
 */
export default function SessionUpkeep(props: Props) {
  return (
    <QueryClientProvider client={queryClient()}>
      <Recheck {...props} />
    </QueryClientProvider>
  );
}

function Recheck({ env, onOutcome }: Props) {
  const idle = useIdle();
  const { data, dataUpdatedAt, refetch } = useQuery({
    queryKey: ['session'],
    queryFn: askForOutcome,
    staleTime: RECHECK_INTERVAL,
    refetchInterval: idle ? false : RECHECK_INTERVAL,
    refetchOnWindowFocus: 'always',
    refetchOnReconnect: 'always',
  });

  useEffect(() => {
    if (!data) return;
    onOutcome(data);
    if (data.live) void renewSessionWhenDue(env, data.session);
  }, [env, data, dataUpdatedAt, onOutcome]);

  useEffect(() => {
    // Back at the keyboard after the time for a check had passed.
    if (!idle && dataUpdatedAt > 0 && Date.now() - dataUpdatedAt >= RECHECK_INTERVAL) void refetch();
  }, [idle, dataUpdatedAt, refetch]);

  useEffect(() => {
    const recheck = (event: PageTransitionEvent) => {
      if (event.persisted) void refetch();
    };
    window.addEventListener('pageshow', recheck);
    return () => window.removeEventListener('pageshow', recheck);
  }, [refetch]);

  return null;
}

/** @throws Error when the answer decides nothing, so that it is asked again */
async function askForOutcome(): Promise<SessionOutcome> {
  const answer = await checkAuthStatus();
  if (answer.ok) return { live: true, session: answer.data };
  if (answer.status === 401) return { live: false, deleted: answer.code === 'user-deleted' };
  throw new Error(`The session could not be checked: ${answer.code}`);
}

function useIdle(): boolean {
  const [idle, setIdle] = useState(false);
  useEffect(() => watchActivity(setIdle).stop, []);
  return idle;
}
