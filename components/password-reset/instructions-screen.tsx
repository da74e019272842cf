import { useTranslation } from 'next-i18next/pages';
import { AddressLead } from '@/components/layout/address-lead';
import { AuthLayout } from '@/components/layout/auth-layout';
import styles from '@/components/layout/flow.module.css';
import { ResendButton } from '@/components/layout/resend-button';
import { ButtonLink } from '@/components/ui/button';
import { PageLink } from '@/components/ui/page-link';
import { resendReset } from '@/lib/account/calls';
import { paths } from '@/lib/paths';

export type PendingReset = { email: string; resendAfter: number };

/** What to do now that a code is on its way. */
export function InstructionsScreen({ pending }: { pending: PendingReset }) {
  const { t } = useTranslation('instructions');
  return (
    <AuthLayout heading={t('heading')} lead={<AddressLead text={t('sentTo')} email={pending.email} />}>
      <ButtonLink kind="primary" href={paths.forgetPasswordReset}>
        {t('enterCode')}
      </ButtonLink>
      <div className={styles.links}>
        <p>{t('otherDevice')}</p>
        <ResendButton wait={pending.resendAfter} onResend={resendReset} />
        <PageLink href={paths.forgetPassword}>{t('otherAddress')}</PageLink>
      </div>
    </AuthLayout>
  );
}
