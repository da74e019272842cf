import { useTranslation } from 'next-i18next/pages';
import { useState } from 'react';
import { AuthLayout } from '@/components/layout/auth-layout';
import styles from '@/components/layout/flow.module.css';
import { Button, ButtonLink } from '@/components/ui/button';
import { callbackPolicyOf } from '@/lib/config/public-env';
import { usePublicEnv } from '@/lib/config/public-env-context';

type Props = { present: string; wanted: string | null; onSwitch: () => Promise<void> };

/** A link that was opened while someone else is signed in: the person decides. */
export default function OtherPerson({ present, wanted, onSwitch }: Props) {
  const { t } = useTranslation('actions');
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
        <ButtonLink href={callbackPolicyOf(env).dashboardUrl}>{t('other.stay')}</ButtonLink>
      </div>
    </AuthLayout>
  );
}
