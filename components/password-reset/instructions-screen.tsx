import { EmailLead } from '@/components/layout/email-lead';
import { AuthLayout } from '@/components/layout/auth-layout';
import styles from '@/components/layout/flow.module.css';
import { ButtonLink } from '@/components/ui/button';
import { PageLink } from '@/components/ui/page-link';
import { useMessages } from '@/lib/browser/use-messages';
import { paths, pathWithFlow } from '@/lib/shared/paths';
import { ResendReset, type PendingReset } from './resend-reset';

/** The next steps after a reset code was sent. */
export function InstructionsScreen({ pending }: { pending: PendingReset }) {
  const { t } = useMessages('instructions');
  return (
    <AuthLayout heading={t('heading')} lead={<EmailLead text={t('sentTo')} email={pending.email} />}>
      <ButtonLink kind="primary" href={pathWithFlow(paths.forgetPasswordReset, pending.flow)}>
        {t('enterCode')}
      </ButtonLink>
      <div className={styles.links}>
        <p>{t('otherDevice')}</p>
        <ResendReset key={pending.flow} pending={pending} />
        <PageLink href={paths.forgetPassword}>{t('otherAddress')}</PageLink>
      </div>
    </AuthLayout>
  );
}
