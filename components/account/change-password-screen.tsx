import { useState } from 'react';
import { SignedInShell } from '@/components/session/signed-in-shell';
import { ButtonLink } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
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
    <SignedInShell heading={t('heading')} lead={t('lead')}>
      <div className={styles.narrow}>
        {changed ? (
          <>
            <Notice tone="success">{t('changed')}</Notice>
            <ButtonLink href={getCallbackPolicy(env).dashboardUrl}>{t('toLearning')}</ButtonLink>
          </>
        ) : (
          <ChangePasswordForm email={email} onChanged={() => setChanged(true)} />
        )}
      </div>
    </SignedInShell>
  );
}
