import { AuthLayout } from '@/components/layout/auth-layout';
import { Notice } from '@/components/ui/notice';
import { BackToSignIn } from '../back-to-sign-in';
import { LinkAccount } from './link-account';
import { usePendingLink } from './use-pending-link';
import { getMethodName } from '@/lib/shared/providers/method-name';
import { useMessages } from '@/lib/browser/use-messages';

/** After `auth/account-exists-with-different-credential`: signs in to the existing account to link the new method. */
export function LinkAccountScreen() {
  const { t } = useMessages('link-account');
  const link = usePendingLink();
  return (
    <AuthLayout
      heading={t('heading')}
      lead={link && t('lead', { email: link.email, provider: getMethodName(link.provider) })}
    >
      {link === null && <Notice tone="info">{t('nothing')}</Notice>}
      {link && <LinkAccount link={link} />}
      <BackToSignIn />
    </AuthLayout>
  );
}
