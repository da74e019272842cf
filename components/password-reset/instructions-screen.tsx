import { EmailLead } from '@/components/layout/email-lead';
import { AuthLayout } from '@/components/layout/auth-layout';
import styles from '@/components/layout/flow.module.css';
import { ResendButton } from '@/components/account-forms/resend-button';
import { ButtonLink } from '@/components/ui/button';
import { PageLink } from '@/components/ui/page-link';
import { resendReset } from '@/lib/browser/account/api';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';

export type PendingReset = { email: string; resendAfter: number };

/** The next steps after a reset code was sent. */
export function InstructionsScreen({ pending }: { pending: PendingReset }) {
  const { t } = useMessages('instructions');
  return (
    <AuthLayout heading={t('heading')} lead={<EmailLead text={t('sentTo')} email={pending.email} />}>
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
