import { useCallback, useEffect, useRef, useState } from 'react';
import type { SignInFailure } from '@/lib/browser/auth/sign-in/complete-sign-in';
import { getPendingRedirect } from '@/lib/browser/auth/redirect/pending-redirect';
import { loadProviderSignIn } from '@/lib/browser/auth/sign-in/load-sign-in';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import { useFreshAfterBack } from '@/lib/browser/use-fresh-after-back';

/**
 * The state of a provider sign-in. `opening`: the provider's window is about to open; `popup`: it is open; `away`: it is,
 * and the user is back on this page and can click again.
 */
export type ProviderPhase =
  | { name: 'idle' }
  | { name: 'opening' | 'popup' | 'away' | 'busy'; provider: string }
  | { name: 'failed'; provider: string; failure: SignInFailure };

export type ProviderSignIn = {
  phase: ProviderPhase;
  /**
   * @param provider a social provider, or the identity provider's id of an organization's or partner's provider
   * @param button the one that was clicked
   */
  press: (provider: string, button: HTMLElement) => void;
  /** Closes the provider's window, or prevents it from opening, and returns the focus to the button. */
  cancel: () => void;
  /** Preloads the SDK before the button is clicked. */
  approach: () => void;
};

/** Signs in with a social provider, by popup or redirect; also completes a redirect that returned to this page. */
export function useProviderSignIn(): ProviderSignIn {
  const env = usePublicEnv();
  const [phase, setPhase] = useState<ProviderPhase>({ name: 'idle' });
  const latest = useRef<AbortController>(null);
  const pressed = useRef<HTMLElement>(null);

  const run = useCallback((provider: string, attempt: Attempt) => {
    // The outcome of the attempt before is ignored.
    latest.current?.abort();
    const { signal } = (latest.current = new AbortController());
    const show = (next: ProviderPhase) => {
      if (!signal.aborted) setPhase(next);
    };
    show({ name: 'busy', provider });
    void attempt(show, signal)
      .catch(unreachable)
      .then((outcome) => {
        if (outcome === null) return;
        show(outcome === 'nothing' ? { name: 'idle' } : { name: 'failed', provider, failure: outcome });
      });
  }, []);

  useEffect(() => {
    const redirect = getPendingRedirect();
    if (redirect)
      queueMicrotask(() => run(redirect.provider, async () => (await loadProviderSignIn()).finishRedirect(env)));
  }, [env, run]);

  useOnUserReturn(() => setPhase((now) => (now.name === 'popup' ? { name: 'away', provider: now.provider } : now)));
  useFreshAfterBack(() => setPhase({ name: 'idle' }));

  const press = (provider: string, button: HTMLElement) => {
    pressed.current = button;
    run(provider, async (show, signal) => {
      if (env.socialSignIn === 'popup') show({ name: 'opening', provider });
      return (await loadProviderSignIn()).signInWithProvider(env, provider, {
        by: env.socialSignIn,
        signal,
        onOpen: () => show({ name: 'popup', provider }),
        onClosed: () => show({ name: 'failed', provider, failure: CLOSED }),
        onRecognized: () => show({ name: 'busy', provider }),
      });
    });
  };
  const cancel = () => {
    latest.current?.abort();
    setPhase({ name: 'idle' });
    pressed.current?.focus();
  };
  return {
    phase,
    press,
    cancel,
    approach: () =>
      void loadProviderSignIn()
        .then((module) => module.prepareProviderSignIn(env))
        .catch(() => undefined),
  };
}

/** Whether a provider's button is shown as busy. */
export function isProviderBusy(phase: ProviderPhase, id: string): boolean {
  return (phase.name === 'opening' || phase.name === 'popup' || phase.name === 'busy') && phase.provider === id;
}

/**
 * @param show changes the phase, unless a later attempt has replaced this one
 * @param signal aborted when a later attempt replaces this one, or it is canceled
 */
type Attempt = (show: (next: ProviderPhase) => void, signal: AbortSignal) => Promise<SignInFailure | 'nothing' | null>;

const CLOSED: SignInFailure = { code: 'auth/popup-closed-by-user', retryAfter: null };

/** A chunk of this app failed to load. */
function unreachable(): SignInFailure {
  return { code: 'auth/network-request-failed', retryAfter: null };
}

/** The user can be back on this page while the provider's window is still open. */
function useOnUserReturn(onBack: () => void): void {
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
