import { useState } from 'react';
import { SignedInShell } from '@/components/session/signed-in-shell';
import { ButtonLink } from '@/components/ui/button';
import { getCallbackPolicy } from '@/lib/shared/config/public-env';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import { useMessages } from '@/lib/browser/use-messages';
import styles from './account.module.css';
import { ChangePasswordForm } from './change-password-form';

/** Changes the password of a signed-in user (docs/product.md#screens). */
export function ChangePasswordScreen({ email }: { email: string }) {
  const { t } = useMessages('account-settings');
  const env = usePublicEnv();
  const [changed, setChanged] = useState(false);
  return (
    <SignedInShell heading={changed ? t('changedHeading') : t('heading')} lead={changed ? t('changed') : t('lead')}>
      <div className={styles.narrow}>
        {changed ? (
          <ButtonLink kind="primary" href={getCallbackPolicy(env).dashboardUrl}>
            {t('toLearning')}
          </ButtonLink>
        ) : (
          <ChangePasswordForm email={email} onChanged={() => setChanged(true)} />
        )}
      </div>
    </SignedInShell>
  );
}
