import { useTranslation } from 'next-i18next/pages';
import { AuthLayout } from '@/components/layout/auth-layout';
import styles from '@/components/layout/flow.module.css';
import { PageLink } from '@/components/ui/page-link';
import { paths } from '@/lib/paths';
import { RequestForm } from './request-form';

/** Asking for a reset code; for who does not know how they sign in, asking for that. */
export function RequestScreen() {
  const { t } = useTranslation('forget-password');
  return (
    <AuthLayout heading={t('heading')} lead={t('lead')}>
      <RequestForm />
      <p className={styles.links}>
        <PageLink href={paths.signIn}>{t('back')}</PageLink>
      </p>
    </AuthLayout>
  );
}
