import { useEffect, useRef, useState } from 'react';
import type { SignInFailure } from '@/lib/browser/auth/sign-in/error-codes';
import { getPendingRedirect } from '@/lib/browser/auth/pending';
import { loadProviderSignIn, preloadProviderSignIn } from '@/lib/browser/auth/sign-in/load-sign-in';
import { usePublicEnv } from '@/lib/browser/config/context';
import { useAttempt } from '@/lib/browser/hooks';
import { SignInFailureNotice } from '@/components/account-forms/sign-in-failure-notice';
import { ProviderButton } from '@/components/ui/provider-button';
import { SOCIAL_PROVIDERS, type SocialProviderId, getMethodName, isOrganization } from '@/lib/shared/sign-in-methods';
import { useMessages } from '@/lib/browser/use-messages';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import styles from './methods.module.css';

/**
 * The state of a provider sign-in. `opening`: the provider's window is about to open. `popup`: it is open. `away`: it
 * is open, but the user is back on this page and can click again.
 */
type ProviderPhase =
  | { name: 'idle' }
  | { name: 'opening' | 'popup' | 'away' | 'busy'; provider: string }
  | { name: 'failed'; provider: string; failure: SignInFailure };

export type ProviderSignIn = {
  phase: ProviderPhase;
  /**
   * @param provider a social provider, or the identity provider's id of an organization's or partner's provider
   * @param button the clicked button
   */
  press: (provider: string, button: HTMLElement) => void;
  /** Closes the provider's window, or prevents it from opening, and returns the focus to the button. */
  cancel: () => void;
  /** Clears a failure, and ignores the outcome of an attempt. */
  reset: () => void;
  /** Preloads the SDK before the button is clicked. */
  approach: () => void;
};

/** Signs in with a social provider, by popup or redirect. It also completes a redirect that returned to this page. */
export function useProviderSignIn(): ProviderSignIn {
  const env = usePublicEnv();
  const [phase, setPhase] = useState<ProviderPhase>({ name: 'idle' });
  const latest = useRef<AbortController>(null);
  const pressed = useRef<HTMLElement>(null);

  const run = (provider: string, attempt: Attempt) => {
    // Ignore the outcome of the previous attempt.
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
  };

  useEffect(() => {
    const redirect = getPendingRedirect();
    if (redirect)
      queueMicrotask(() => run(redirect.provider, async () => (await loadProviderSignIn()).finishRedirect(env)));
    // Once. Another language has another environment, and must not start again.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);

  // The user can be back on this page while the provider's window is still open.
  useEffect(() => {
    const back = () => setPhase((now) => (now.name === 'popup' ? { name: 'away', provider: now.provider } : now));
    window.addEventListener('focus', back);
    return () => window.removeEventListener('focus', back);
  }, []);
  const reset = () => {
    latest.current?.abort();
    setPhase({ name: 'idle' });
  };
  const begin = useAttempt(reset);

  const press = (provider: string, button: HTMLElement) => {
    begin();
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
    reset();
    pressed.current?.focus();
  };
  return {
    phase,
    press,
    cancel,
    reset,
    approach: () => preloadProviderSignIn(env),
  };
}

/** Whether a provider's button is shown as busy. */
export function isProviderBusy(phase: ProviderPhase, id: string): boolean {
  return (phase.name === 'opening' || phase.name === 'popup' || phase.name === 'busy') && phase.provider === id;
}

/**
 * @param show changes the phase, unless a later attempt has replaced this attempt
 * @param signal aborted when a later attempt replaces this attempt, or it is canceled
 */
type Attempt = (show: (next: ProviderPhase) => void, signal: AbortSignal) => Promise<SignInFailure | 'nothing' | null>;

const CLOSED: SignInFailure = { code: 'auth/popup-closed-by-user', retryAfter: null };

/** Creates the failure of a chunk of this app that did not load. */
function unreachable(): SignInFailure {
  return { code: 'auth/network-request-failed', retryAfter: null };
}

/** Above this number, the buttons are side by side and show only the provider's name. */
const WHOLE_AT_MOST = 3;

type Props = {
  providers: readonly SocialProviderId[];
  /** The provider used last on this device. */
  lastUsed: string | null;
  signIn: ProviderSignIn;
};

export function ProviderButtons({ providers, lastUsed, signIn }: Props) {
  const { t } = useMessages('providers');
  const { phase, press, approach } = signIn;
  const compact = providers.length > WHOLE_AT_MOST;
  return (
    <div className={compact ? styles.providerGrid : styles.providers}>
      {providers.map((id, index) => (
        <ProviderButton
          key={id}
          provider={SOCIAL_PROVIDERS[id]}
          label={t('common:continueWith', { provider: SOCIAL_PROVIDERS[id].name })}
          // With an odd number of buttons, the first takes a full row.
          compact={compact && (index > 0 || providers.length % 2 === 0)}
          note={id === lastUsed ? t('lastUsed') : undefined}
          busy={isProviderBusy(phase, id)}
          busyLabel={t('signingIn')}
          onPress={(button) => press(id, button)}
          onApproach={approach}
        />
      ))}
    </div>
  );
}

/** Explains why a provider sign-in failed, or that it continues in the provider's window, with a button to cancel. */
export function ProviderStatus({ signIn: { phase, cancel, reset } }: { signIn: ProviderSignIn }) {
  const { t } = useMessages('providers');
  if (phase.name === 'failed') return <SignInFailureNotice failure={phase.failure} onExpire={reset} />;
  if (phase.name === 'idle' || phase.name === 'busy') return null;
  const provider = isOrganization(phase.provider) ? t('sso') : getMethodName(phase.provider);
  return (
    <Notice tone="info">
      <p>{phase.name === 'opening' ? t('openingPopup', { provider }) : t('inPopup', { provider })}</p>
      <div className={styles.cancel}>
        <Button kind="quiet" onClick={cancel}>
          {t('cancel')}
        </Button>
      </div>
    </Notice>
  );
}
