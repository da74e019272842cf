import { useState } from 'react';
import { MailboxLink } from '@/components/account-forms/mailbox-link';
import { AuthLayout } from '@/components/layout/auth-layout';
import { RedirectLoopScreen } from '@/components/session/lazy-redirect-loop';
import { useMessages } from '@/lib/browser/use-messages';
import { EmailRequestForm } from '@/components/account-forms/email-request-form';
import { requestSignInLink } from '@/lib/browser/account/api';
import { keepReturnForLink } from '@/lib/browser/auth/link-return';
import { ResendButton } from '@/components/account-forms/resend-button';
import styles from '@/components/layout/flow.module.css';
import { Button } from '@/components/ui/button';
import { BackToSignIn } from './back-to-sign-in';

/** Requests a sign-in link by email. The link itself opens at /actions. */
export function EmailLinkScreen({ bounced }: { bounced?: boolean | null }) {
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

function EmailLinkForm({ onSent }: { onSent: (link: SentLink) => void }) {
  const { t } = useMessages('email-link');
  const request = async (email: string) => {
    const result = await requestSignInLink(email);
    if (!result.ok) return result;
    keepReturnForLink(email);
    onSent({ email, resendAfter: result.data.resendAfter });
    return null;
  };
  const texts = { form: t('form'), send: t('providers:emailLink'), sending: t('sending') };
  return <EmailRequestForm texts={texts} request={request} />;
}

type SentLink = { email: string; resendAfter: number };

/** Shown after the email with a link or other help was sent. The page does not know which. */
function LinkSent({ link, onOtherAddress }: { link: SentLink; onOtherAddress: () => void }) {
  const { t } = useMessages('email-link');
  return (
    <div className={styles.resend}>
      <p>{t('again')}</p>
      <ResendButton
        wait={link.resendAfter}
        onResend={() => requestSignInLink(link.email)}
        texts={{ button: t('resend'), sent: t('sentAgain') }}
      />
      <Button kind="quiet" onClick={onOtherAddress}>
        {t('otherAddress')}
      </Button>
    </div>
  );
}
