import { ResendButton } from '@/components/account-forms/resend-button';
import styles from '@/components/layout/flow.module.css';
import { Button } from '@/components/ui/button';
import { requestSignInLink } from '@/lib/browser/account/api';
import { useMessages } from '@/lib/browser/use-messages';

export type SentLink = { email: string; resendAfter: number };

/** The email with a link or other help was sent; this page does not know which. */
export function LinkSent({ link, onOtherAddress }: { link: SentLink; onOtherAddress: () => void }) {
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
