import { MailboxLink } from '@/components/account-forms/mailbox-link';
import { useState } from 'react';
import { AuthLayout } from '@/components/layout/auth-layout';
import { RedirectLoopScreen } from '@/components/session/lazy-redirect-loop';
import { useMessages } from '@/lib/browser/use-messages';
import { BackToSignIn } from '../back-to-sign-in';
import { EmailLinkForm } from './email-link-form';
import { LinkSent, type SentLink } from './link-sent';

/** Requests a sign-in link by email. The link itself opens at /actions. */
export function EmailLinkScreen({ bounced }: { bounced: boolean | null }) {
  const { t } = useMessages('email-link');
  const [sent, setSent] = useState<SentLink | null>(null);
  if (bounced) return <RedirectLoopScreen />;
  return (
    <AuthLayout
      heading={sent ? t('sentHeading') : t('heading')}
      aside={sent && <MailboxLink email={sent.email} />}
      lead={sent ? t('sent', { email: sent.email }) : t('lead')}
    >
      {sent ? <LinkSent link={sent} onOtherAddress={() => setSent(null)} /> : <EmailLinkForm onSent={setSent} />}
      <BackToSignIn />
    </AuthLayout>
  );
}
