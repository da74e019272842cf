import { useCallback, useEffect, useRef, useState } from 'react';
import type { SignInFailure } from '@/lib/browser/auth/sign-in/complete-sign-in';
import { getPendingRedirect } from '@/lib/browser/auth/redirect/pending-redirect';
import { loadProviderSignIn } from '@/lib/browser/auth/sign-in/load-sign-in';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import { useFreshAfterBack } from '@/lib/browser/use-fresh-after-back';

/** The state of a provider sign-in. `away`: the user is in the provider's window and can click again. */
export type ProviderPhase =
  | { name: 'idle' }
  | { name: 'busy' | 'away'; provider: string }
  | { name: 'failed'; provider: string; failure: SignInFailure };

export type ProviderSignIn = {
  phase: ProviderPhase;
  /** @param provider a social provider, or the identity provider's id of an organization's or partner's provider */
  press: (provider: string) => void;
  /** Preloads the SDK before the button is clicked. */
  approach: () => void;
};

/** Signs in with a social provider, by popup or redirect; also completes a redirect that returned to this page. */
export function useProviderSignIn(): ProviderSignIn {
  const env = usePublicEnv();
  const [phase, setPhase] = useState<ProviderPhase>({ name: 'idle' });
  const latest = useRef(0);

  const run = useCallback((provider: string, attempt: () => Promise<SignInFailure | 'nothing' | null>) => {
    latest.current += 1;
    const mine = latest.current;
    setPhase({ name: 'busy', provider });
    void attempt()
      .catch(unreachable)
      .then((outcome) => {
        // Ignore the result of an attempt that a later one has replaced.
        if (mine !== latest.current || outcome === null) return;
        setPhase(outcome === 'nothing' ? { name: 'idle' } : { name: 'failed', provider, failure: outcome });
      });
  }, []);

  useEffect(() => {
    const redirect = getPendingRedirect();
    if (redirect)
      queueMicrotask(() => run(redirect.provider, async () => (await loadProviderSignIn()).finishRedirect(env)));
  }, [env, run]);

  usePersonBack(() =>
    setPhase((now) => (now.name === 'busy' && !getPendingRedirect() ? { name: 'away', provider: now.provider } : now)),
  );
  useFreshAfterBack(() => setPhase({ name: 'idle' }));

  const press = (provider: string) =>
    run(provider, async () =>
      (await loadProviderSignIn()).signInWithProvider(env, provider, {
        by: env.socialSignIn,
        onRecognized: () => setPhase({ name: 'busy', provider }),
      }),
    );
  return {
    phase,
    press,
    approach: () =>
      void loadProviderSignIn()
        .then((way) => way.prepareProviderSignIn(env))
        .catch(() => undefined),
  };
}

/** A chunk of this app failed to load. */
function unreachable(): SignInFailure {
  return { code: 'auth/network-request-failed', retryAfter: null };
}

/** The SDK takes seconds to detect a closed window; the user is back on this page earlier. */
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
