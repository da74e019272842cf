import { useTranslation } from 'next-i18next/pages';
import { useState } from 'react';
import { AuthLayout } from '@/components/layout/auth-layout';
import { BouncedScreen } from '@/components/layout/bounced-screen';
import { BackToSignIn } from '../back-to-sign-in';
import { EmailLinkForm } from './email-link-form';
import { LinkSent, type SentLink } from './link-sent';

/** Signing in with a mailed link: asking for it. The link itself opens at /actions. */
export function EmailLinkScreen({ bounced }: { bounced: boolean }) {
  const { t } = useTranslation('email-link');
  const [sent, setSent] = useState<SentLink | null>(null);
  if (bounced) return <BouncedScreen />;
  return (
    <AuthLayout
      heading={sent ? t('sentHeading') : t('heading')}
      lead={sent ? t('sent', { email: sent.email }) : t('lead')}
    >
      {sent ? <LinkSent link={sent} /> : <EmailLinkForm onSent={setSent} />}
      <BackToSignIn />
    </AuthLayout>
  );
}
