import { useTranslation } from 'next-i18next/pages';
import { useState } from 'react';
import { AppShell } from '@/components/layout/app-shell';
import { ButtonLink } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { callbackPolicyOf } from '@/lib/config/public-env';
import { usePublicEnv } from '@/lib/config/public-env-context';
import styles from './account.module.css';
import { ChangePasswordForm } from './change-password-form';

/** Changing the password while signed in (product decisions, 6). */
export function ChangePasswordScreen({ email }: { email: string }) {
  const { t } = useTranslation('account-settings');
  const env = usePublicEnv();
  const [changed, setChanged] = useState(false);
  return (
    <AppShell heading={t('heading')} lead={t('lead')}>
      <div className={styles.narrow}>
        {changed ? (
          <>
            <Notice tone="success">{t('changed')}</Notice>
            <ButtonLink href={callbackPolicyOf(env).dashboardUrl}>{t('toLearning')}</ButtonLink>
          </>
        ) : (
          <ChangePasswordForm email={email} onChanged={() => setChanged(true)} />
        )}
      </div>
    </AppShell>
  );
}
