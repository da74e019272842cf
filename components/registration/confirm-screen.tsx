import { MailboxLink } from '@/components/account-forms/mailbox-link';
import { EmailLead } from '@/components/layout/email-lead';
import { AuthLayout } from '@/components/layout/auth-layout';
import styles from '@/components/layout/flow.module.css';
import { restartCode } from '@/components/account-forms/refused-code';
import { ResendButton } from '@/components/account-forms/resend-button';
import { ButtonLink } from '@/components/ui/button';
import { PageLink } from '@/components/ui/page-link';
import { resendConfirmation } from '@/lib/browser/account/api';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';
import { CodeForm, leaveCompleted } from './code-form';

type Props = {
  /** A pending registration of this browser; null if no code was requested or it expired. `resendAfter` in seconds. */
  pending: { flow: string; email: string; resendAfter: number } | null;
};

/** Confirms an address with the code from the email. */
export function ConfirmScreen({ pending }: Props) {
  const { t } = useMessages('registration-confirm');
  if (!pending) return <NothingPending />;
  return (
    <AuthLayout
      heading={t('heading')}
      lead={<EmailLead text={t('sentTo')} email={pending.email} />}
      aside={<MailboxLink email={pending.email} />}
    >
      <CodeForm key={pending.flow} pending={pending}>
        {(form) => (
          <div className={styles.links}>
            <p>{t('spam')}</p>
            <ResendButton
              wait={pending.resendAfter}
              onResend={() => resendConfirmation(pending.flow)}
              onSent={() => restartCode(form)}
              onUsed={() => leaveCompleted(pending.flow)}
            />
            <PageLink href={paths.registration}>{t('otherAddress')}</PageLink>
          </div>
        )}
      </CodeForm>
    </AuthLayout>
  );
}

/** Opened in another browser, or the registration has expired: shows the reason and the next step. */
function NothingPending() {
  const { t } = useMessages('registration-confirm');
  return (
    <AuthLayout heading={t('nothing.heading')} lead={t('nothing.lead')}>
      <div className={styles.stack}>
        <ButtonLink kind="primary" href={paths.signIn}>
          {t('nothing.signIn')}
        </ButtonLink>
        <ButtonLink href={paths.registration}>{t('nothing.register')}</ButtonLink>
      </div>
    </AuthLayout>
  );
}
