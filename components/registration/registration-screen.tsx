import { useTranslation } from 'next-i18next/pages';
import { AuthLayout } from '@/components/layout/auth-layout';
import styles from '@/components/layout/flow.module.css';
import { PageLink } from '@/components/ui/page-link';
import { paths } from '@/lib/paths';
import { RegistrationForm } from './registration-form';

/** Creating an account (product decisions, 6). */
export function RegistrationScreen() {
  const { t } = useTranslation('registration');
  return (
    <AuthLayout heading={t('heading')}>
      <RegistrationForm />
      <p className={`${styles.links ?? ''} ${styles.inline ?? ''}`}>
        <span>
          {t('haveAccount')}
          <PageLink href={paths.signIn}>{t('signIn')}</PageLink>
        </span>
      </p>
    </AuthLayout>
  );
}
