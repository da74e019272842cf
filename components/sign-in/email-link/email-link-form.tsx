import { EmailRequestForm } from '@/components/account-forms/email-request-form';
import { requestSignInLink } from '@/lib/browser/account/api';
import { useMessages } from '@/lib/browser/use-messages';
import type { SentLink } from './link-sent';

export function EmailLinkForm({ onSent }: { onSent: (link: SentLink) => void }) {
  const { t } = useMessages('email-link');
  const request = async (email: string) => {
    const result = await requestSignInLink(email);
    if (!result.ok) return result;
    onSent({ email, resendAfter: result.data.resendAfter });
    return null;
  };
  const texts = { form: t('form'), send: t('providers:emailLink'), sending: t('sending') };
  return <EmailRequestForm texts={texts} request={request} />;
}
