import { MailboxLink, useReturnByLink } from '@/components/account-forms/mailbox-link';
import { EmailLead } from '@/components/layout/email-lead';
import { AuthLayout } from '@/components/layout/auth-layout';
import { useMessages } from '@/lib/browser/use-messages';
import { ResetForm, type PendingReset } from './reset-screen';

/** Explains how to use the emailed reset code, with its form. */
export function InstructionsScreen({ pending }: { pending: PendingReset }) {
  const { t } = useMessages('instructions');
  useReturnByLink(pending.email);
  return (
    <AuthLayout
      step="code"
      heading={t('heading')}
      lead={<EmailLead text={t('sentTo')} email={pending.email} />}
      aside={<MailboxLink email={pending.email} />}
    >
      <ResetForm key={pending.flow} pending={pending} />
    </AuthLayout>
  );
}
