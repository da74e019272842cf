import { useEffect, useRef, useState } from 'react';
import { PasskeyFailureNotice } from '@/components/account-forms/passkey-failure-notice';
import { Icon } from '@/components/ui/icons';
import { MarkedButton } from '@/components/ui/provider-button';
import { useMessages } from '@/lib/browser/use-messages';
import styles from '@/components/providers/methods.module.css';
import { usePublicEnv } from '@/lib/browser/config/context';
import type { PasskeyFailure } from '@/lib/browser/passkeys/failure';
import { useAttempt, useClientValue, useFreshAfterBack, whenIdle } from '@/lib/browser/hooks';
import { reportError } from '@/lib/shared/error-reporting/report';

type Props = { signIn: NonNullable<ReturnType<typeof usePasskeySignIn>>; isLastUsed: boolean };

/**
 * The button that signs in with a passkey, and why it did not. After there was none here, it is that for those of another device: the same
 * button keeps the focus.
 */
export function PasskeySignIn({ signIn, isLastUsed }: Props) {
  const { t } = useMessages('sign-in');
  const { phase, approach, press } = signIn;
  const isNoneHere = phase.name === 'failed' && phase.failure === 'none-here';
  return (
    <div className={styles.providers}>
      {phase.name === 'failed' && <PasskeyFailureNotice failure={phase.failure} />}
      <MarkedButton
        mark={<Icon glyph="passkey" />}
        text={isNoneHere ? t('passkey.elsewhere') : t('passkey.button')}
        note={isLastUsed ? t('providers:lastUsed') : undefined}
        busy={phase.name === 'working'}
        busyLabel={t('signingIn')}
        onApproach={approach}
        onPress={() => press(isNoneHere ? 'anywhere' : 'here')}
      />
    </div>
  );
}

export type PasskeyPhase = { name: 'idle' } | { name: 'working' } | { name: 'failed'; failure: PasskeyFailure };

const loadSignIn = () => import('@/lib/browser/passkeys/sign-in');

/**
 * Sign-in with a passkey: by the autofill of the email field, and by a button.
 * @param isEnabled whether the origin lets users sign in to accounts of their own, as with a password
 * @returns null where passkeys are not offered, or the browser has none
 */
export function usePasskeySignIn(isEnabled: boolean) {
  const env = usePublicEnv();
  // The server renders the button: nearly every browser has passkeys, and it must not move the page.
  const hasMeans = useClientValue(() => 'PublicKeyCredential' in window, true);
  const [phase, setPhase] = useState<PasskeyPhase>({ name: 'idle' });
  const stopAutofill = useRef(() => {});
  /** What keeps the autofill from beginning: the sign-in that is under way, of which WebKit would cancel the dialog, or another page. */
  const obstacle = useRef<unknown>(null);
  const isOffered = isEnabled && env.passkeys && hasMeans;
  const resetOthers = useAttempt(() => setPhase({ name: 'idle' }));
  // The sign-in that led away is over.
  useFreshAfterBack(() => begin());

  const run = async (work: (module: Awaited<ReturnType<typeof loadSignIn>>) => Promise<PasskeyFailure | null>) => {
    resetOthers();
    setPhase({ name: 'working' });
    obstacle.current = work;
    const failure = await loadSignIn()
      .then(work)
      .catch((error: unknown): PasskeyFailure => {
        reportError(error, { during: 'passkeys' });
        return 'network';
      });
    // Redirected, or of the page before Back.
    if (failure === null || obstacle.current !== work) return;
    // Unless another method has begun.
    setPhase((now) => (now.name === 'working' ? { name: 'failed', failure } : now));
    obstacle.current = null;
    offerInAutofill();
  };

  const offerInAutofill = () => {
    import('@/lib/browser/passkeys/autofill')
      .then(({ startAutofill }) => {
        stopAutofill.current();
        if (obstacle.current) return;
        stopAutofill.current = startAutofill((begun, chosen) => {
          void run((module) => module.signInByAutofill(env, begun, chosen));
        });
      })
      .catch(() => undefined);
  };

  const begin = () => {
    obstacle.current = null;
    if (isOffered) whenIdle(offerInAutofill);
  };

  useEffect(() => {
    begin();
    return () => {
      obstacle.current = true;
      stopAutofill.current();
    };
    // Once: another environment comes only with another page.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [isOffered]);

  if (!isOffered) return null;
  return {
    phase,
    approach: () => void loadSignIn().catch(() => undefined),
    press: (reach: 'here' | 'anywhere') => {
      // The browser shows one dialog at a time, and the autofill counts as one.
      stopAutofill.current();
      void run((module) => module.signInWithPasskey(env, reach));
    },
  };
}
