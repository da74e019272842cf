import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { errorTextKey } from '@/lib/browser/auth/sign-in/error-codes';
import { getMethodName, isOrganization } from '@/lib/shared/providers/method-name';
import { useMessages } from '@/lib/browser/use-messages';
import styles from './methods.module.css';
import type { ProviderSignIn } from './use-provider-sign-in';

/** Why a provider sign-in failed, or that it continues in the provider's window, with a button to cancel. */
export function ProviderStatus({ signIn: { phase, cancel } }: { signIn: ProviderSignIn }) {
  const { t } = useMessages('providers');
  if (phase.name === 'failed')
    return <Notice tone="error">{t(errorTextKey(phase.failure.code), phase.failure)}</Notice>;
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
