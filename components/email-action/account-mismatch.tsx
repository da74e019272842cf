import { useState } from 'react';
import { AuthLayout } from '@/components/layout/auth-layout';
import styles from '@/components/layout/flow.module.css';
import { Button, ButtonLink } from '@/components/ui/button';
import { getCallbackPolicy } from '@/lib/shared/config/public-env';
import { usePublicEnv } from '@/lib/browser/config/context';
import { useMessages } from '@/lib/browser/use-messages';

type Props = { present: string; wanted: string | null; onSwitch: () => Promise<void> };

/** A link opened while a different user is signed in: the user chooses which account to use. */
export default function AccountMismatch({ present, wanted, onSwitch }: Props) {
  const { t } = useMessages('actions');
  const env = usePublicEnv();
  const [switching, setSwitching] = useState(false);
  const lead = wanted === null ? t('other.leadUnknown', { present }) : t('other.lead', { present, wanted });
  return (
    <AuthLayout heading={t('other.heading')} lead={lead}>
      <div className={styles.stack}>
        <Button
          busy={switching}
          busyLabel={t('other.switching')}
          onClick={() => {
            setSwitching(true);
            void onSwitch().finally(() => setSwitching(false));
          }}
        >
          {t('other.switch')}
        </Button>
        <ButtonLink href={getCallbackPolicy(env).dashboardUrl}>{t('other.stay')}</ButtonLink>
      </div>
    </AuthLayout>
  );
}
