import { useTranslation } from 'next-i18next/pages';
import { AuthLayout } from '@/components/layout/auth-layout';
import { Notice } from '@/components/ui/notice';
import { BackToSignIn } from '../back-to-sign-in';
import { LinkAccount } from './link-account';
import { usePendingLink } from './use-pending-link';
import { nameOfMethod } from '@/lib/auth/method-name';

/** After `auth/account-exists-with-different-credential`: proving the existing account, to connect the new method. */
export function LinkAccountScreen() {
  const { t } = useTranslation('link-account');
  const link = usePendingLink();
  const provider = link ? nameOfMethod(link.provider) : null;
  return (
    <AuthLayout heading={t('heading')} lead={link && t('lead', { email: link.email, provider })}>
      {link === null && <Notice tone="info">{t('nothing')}</Notice>}
      {link && <LinkAccount link={link} />}
      <BackToSignIn />
    </AuthLayout>
  );
}
