import { useRef, useState, type ReactNode } from 'react';
import { PasskeyFailureNotice } from '@/components/account-forms/passkey-failure-notice';
import styles from '@/components/providers/methods.module.css';
import { Button } from '@/components/ui/button';
import { Icon } from '@/components/ui/icons';
import { MarkedButton } from '@/components/ui/provider-button';
import { useEnabledIdentities, usePublicEnv } from '@/lib/browser/config/context';
import { useAttempt, useClientValue } from '@/lib/browser/hooks';
import { hasPasskeyMeans } from '@/lib/browser/passkeys/means';
import { useMessages } from '@/lib/browser/use-messages';
import { reportError } from '@/lib/shared/error-reporting/report';
import type { PasskeyPhase } from '../passkey-sign-in';

const loadSignIn = () => import('@/lib/browser/passkeys/sign-in');

/**
 * The button that signs in with a passkey instead of both factors. It has no autofill, because there is no field for
 * the account.
 */
export function PasskeyInstead() {
  const { t } = useMessages('second-factor');
  const env = usePublicEnv();
  const [phase, setPhase] = useState<PasskeyPhase>({ name: 'idle' });
  const latest = useRef<object>(null);
  const begin = useAttempt(() => {
    latest.current = null;
    setPhase({ name: 'idle' });
  });

  const press = async (reach: 'here' | 'anywhere') => {
    const attempt = (latest.current = {});
    begin();
    setPhase({ name: 'working' });
    const failure = await loadSignIn()
      .then(({ signInWithPasskey }) => signInWithPasskey(env, reach))
      .catch((error: unknown) => {
        reportError(error, { during: 'loading passkeys' });
        return 'network' as const;
      });
    // Otherwise, the page redirects.
    if (failure !== null && latest.current === attempt) setPhase({ name: 'failed', failure });
  };
  const isNoneHere = phase.name === 'failed' && phase.failure === 'none-here';
  return (
    <div className={styles.providers}>
      {phase.name === 'failed' && <PasskeyFailureNotice failure={phase.failure} />}
      <MarkedButton
        mark={<Icon glyph="passkey" />}
        text={isNoneHere ? t('sign-in:passkey.elsewhere') : t('passkey')}
        busy={phase.name === 'working'}
        busyLabel={t('sign-in:signingIn')}
        onApproach={() => void loadSignIn().catch(() => undefined)}
        onPress={() => void press(isNoneHere ? 'anywhere' : 'here')}
      />
    </div>
  );
}

/** Offers a passkey instead if a passkey can sign in, for a page that does not check this itself. */
export function OfferedPasskey() {
  return usePasskeysOffered() ? <PasskeyInstead /> : null;
}

/** Whether a passkey can sign in here, by the same rules as on /sign-in. */
export function usePasskeysOffered(): boolean {
  const env = usePublicEnv();
  const enabled = useEnabledIdentities();
  const hasMeans = useClientValue(hasPasskeyMeans, true);
  return env.passkeys && hasMeans && enabled.includes('password');
}

type Props = {
  onClick: () => void;
  /** Called when the pointer or the focus reaches the button. */
  onApproach?: () => void;
  children: ReactNode;
};

/** Switches to another way to continue. */
export function SwitchButton({ onClick, onApproach, children }: Props) {
  return (
    <div className={styles.cancel}>
      <Button kind="quiet" onPointerEnter={onApproach} onFocus={onApproach} onClick={onClick}>
        {children}
      </Button>
    </div>
  );
}
