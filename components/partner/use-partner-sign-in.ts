import { useCallback, useEffect, useRef, useState } from 'react';
import type { EntryFailure } from '@/lib/auth/enter';
import { restoreOriginalCallback, signInWithPartner } from '@/lib/auth/partner';
import { pendingRedirect } from '@/lib/auth/pending-redirect';
import { useRedirectReturn } from '@/lib/auth/use-redirect-return';
import { usePublicEnv } from '@/lib/config/public-env-context';

type Phase = { name: 'busy' | 'unanswered' } | { name: 'failed'; failure: EntryFailure };

/** Where signing in with a partner stands; it starts by itself unless an earlier start has had no answer. */
export function usePartnerSignIn(provider: string): { phase: Phase; start: () => void } {
  const env = usePublicEnv();
  const [own, setOwn] = useState<Phase | null>(null);
  const started = useRef(false);
  useEffect(() => {
    // Before the redirect is completed below, and the learner handed over.
    if (pendingRedirect() !== null) restoreOriginalCallback(env);
  }, [env]);
  const back = useRedirectReturn();

  const start = useCallback(() => {
    started.current = true;
    setOwn({ name: 'busy' });
    void signInWithPartner(env, provider).then((failure) => failure && setOwn({ name: 'failed', failure }));
  }, [env, provider]);

  useEffect(() => {
    if (back.name === 'none' && !started.current) queueMicrotask(start);
  }, [back.name, start]);

  return { phase: own ?? phaseOf(back), start };
}

function phaseOf(back: ReturnType<typeof useRedirectReturn>): Phase {
  if (back.name === 'failed') return back;
  return { name: back.name === 'unanswered' ? 'unanswered' : 'busy' };
}
