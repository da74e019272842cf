import { PasskeyFailureNotice } from '@/components/account-forms/passkey-failure-notice';
import { Button } from '@/components/ui/button';
import { Icon } from '@/components/ui/icons';
import { MarkedButton } from '@/components/ui/marked-button';
import { useMessages } from '@/lib/browser/use-messages';
import styles from '@/components/providers/methods.module.css';
import type { usePasskeySignIn } from './use-passkey-sign-in';

type Props = { signIn: NonNullable<ReturnType<typeof usePasskeySignIn>>; isLastUsed: boolean };

/** The button that signs in with a passkey, and why it did not. */
export function PasskeySignIn({ signIn, isLastUsed }: Props) {
  const { t } = useMessages('sign-in');
  const { phase, approach, press } = signIn;
  return (
    <div className={styles.providers}>
      {phase.name === 'failed' && <PasskeyFailureNotice failure={phase.failure} />}
      <MarkedButton
        mark={<Icon glyph="passkey" />}
        text={t('passkey.button')}
        note={isLastUsed ? t('providers:lastUsed') : undefined}
        busy={phase.name === 'working'}
        busyLabel={t('signingIn')}
        onApproach={approach}
        onPress={() => press('here')}
      />
      {phase.name === 'failed' && phase.failure === 'none-here' && (
        <Button kind="quiet" onClick={() => press('anywhere')}>
          {t('passkey.elsewhere')}
        </Button>
      )}
    </div>
  );
}
