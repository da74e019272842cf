import { useCallback, useEffect, useRef, useState } from 'react';
import type { SignInFailure } from '@/lib/browser/auth/sign-in/complete-sign-in';
import { restoreOriginalCallback, signInWithPartner } from '@/lib/browser/auth/sign-in/partner';
import { getPendingRedirect } from '@/lib/browser/auth/redirect/pending-redirect';
import { useRedirectReturn } from '@/lib/browser/auth/redirect/use-redirect-return';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';

type Phase = { name: 'busy' | 'unanswered' } | { name: 'failed'; failure: SignInFailure };

/** The state of a partner sign-in. Starts automatically, unless an earlier redirect returned without a result. */
export function usePartnerSignIn(provider: string): { phase: Phase; start: () => void } {
  const env = usePublicEnv();
  const [own, setOwn] = useState<Phase | null>(null);
  const started = useRef(false);
  useEffect(() => {
    // Restore the callback before the redirect is completed below and the learner is sent on.
    if (getPendingRedirect() !== null) restoreOriginalCallback(env);
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

  return { phase: own ?? getPhase(back), start };
}

function getPhase(back: ReturnType<typeof useRedirectReturn>): Phase {
  if (back.name === 'failed') return back;
  return { name: back.name === 'unanswered' ? 'unanswered' : 'busy' };
}
