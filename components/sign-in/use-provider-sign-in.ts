import { useCallback, useEffect, useRef, useState } from 'react';
import type { EntryFailure } from '@/lib/auth/enter';
import { pendingRedirect } from '@/lib/auth/pending-redirect';
import { providerWay } from '@/lib/auth/ways';
import { usePublicEnv } from '@/lib/config/public-env-context';
import { useFreshAfterBack } from '@/lib/use-fresh-after-back';

/** Where signing in with a provider stands. `away`: the person is in the provider's window, and may press again. */
export type ProviderPhase =
  | { name: 'idle' }
  | { name: 'busy' | 'away'; provider: string }
  | { name: 'failed'; provider: string; failure: EntryFailure };

export type ProviderSignIn = {
  phase: ProviderPhase;
  /** @param provider a social provider, or an organisation's or partner's in the identity provider's ids */
  press: (provider: string) => void;
  /** The SDK is on its way before the button is pressed. */
  approach: () => void;
};

/** Signing in with a social provider, by popup or redirect; also completes a redirect this page is back from. */
export function useProviderSignIn(): ProviderSignIn {
  const env = usePublicEnv();
  const [phase, setPhase] = useState<ProviderPhase>({ name: 'idle' });
  const latest = useRef(0);

  const run = useCallback((provider: string, attempt: () => Promise<EntryFailure | 'nothing' | null>) => {
    latest.current += 1;
    const mine = latest.current;
    setPhase({ name: 'busy', provider });
    void attempt()
      .catch(unreachable)
      .then((outcome) => {
        // A press that was overtaken by another one has nothing to say.
        if (mine !== latest.current || outcome === null) return;
        setPhase(outcome === 'nothing' ? { name: 'idle' } : { name: 'failed', provider, failure: outcome });
      });
  }, []);

  useEffect(() => {
    const redirect = pendingRedirect();
    if (redirect) queueMicrotask(() => run(redirect.provider, async () => (await providerWay()).finishRedirect(env)));
  }, [env, run]);

  usePersonBack(() =>
    setPhase((now) => (now.name === 'busy' && !pendingRedirect() ? { name: 'away', provider: now.provider } : now)),
  );
  useFreshAfterBack(() => setPhase({ name: 'idle' }));

  const press = (provider: string) =>
    run(provider, async () =>
      (await providerWay()).signInWithProvider(env, provider, {
        by: env.socialSignIn,
        onRecognised: () => setPhase({ name: 'busy', provider }),
      }),
    );
  return {
    phase,
    press,
    approach: () =>
      void providerWay()
        .then((way) => way.prepare(env))
        .catch(() => undefined),
  };
}

/** A part of this app did not arrive. */
function unreachable(): EntryFailure {
  return { code: 'auth/network-request-failed', retryAfter: null };
}

/** The SDK takes seconds to notice a closed window; the person is back on this page before. */
function usePersonBack(onBack: () => void): void {
  const handler = useRef(onBack);
  useEffect(() => {
    handler.current = onBack;
  });
  useEffect(() => {
    const back = () => handler.current();
    window.addEventListener('focus', back);
    return () => window.removeEventListener('focus', back);
  }, []);
}
