import { AuthLayout } from '@/components/layout/auth-layout';
import styles from '@/components/layout/flow.module.css';
import { PageLink } from '@/components/ui/page-link';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';
import { RegistrationForm } from './registration-form';

/** Creates an account (docs/product.md#screens). */
export function RegistrationScreen() {
  const { t } = useMessages('registration');
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
