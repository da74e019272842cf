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
 * The button that signs in with a passkey, and the failure. If this device has no passkey, the same button offers
 * another device's passkeys, so it keeps the focus.
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
 * Signs in with a passkey, by the autofill of the email field and by a button.
 * @param isEnabled whether the origin enables passwords, and so passkeys
 * @returns null if passkeys are not offered, or the browser does not support them
 */
export function usePasskeySignIn(isEnabled: boolean) {
  const env = usePublicEnv();
  // The server renders the button, because nearly every browser supports passkeys and a later button would move the
  // page.
  const hasMeans = useClientValue(() => 'PublicKeyCredential' in window, true);
  const [phase, setPhase] = useState<PasskeyPhase>({ name: 'idle' });
  const stopAutofill = useRef(() => {});
  /**
   * Prevents the autofill while another sign-in runs, because WebKit would cancel its dialog, and after another page
   * was opened.
   */
  const obstacle = useRef<unknown>(null);
  const isOffered = isEnabled && env.passkeys && hasMeans;
  const resetOthers = useAttempt(() => setPhase({ name: 'idle' }));
  // The sign-in that left the page has ended.
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
    // The page redirects, or the result belongs to the page before Back.
    if (failure === null || obstacle.current !== work) return;
    // Show the failure unless another method has begun.
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
    // Once. Another environment comes only with another page.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [isOffered]);

  if (!isOffered) return null;
  return {
    phase,
    approach: () => void loadSignIn().catch(() => undefined),
    press: (reach: 'here' | 'anywhere') => {
      // The browser shows one dialog at a time, and the autofill counts as a dialog.
      stopAutofill.current();
      void run((module) => module.signInWithPasskey(env, reach));
    },
  };
}
