import { AuthLayout } from '@/components/layout/auth-layout';
import styles from '@/components/layout/flow.module.css';
import { PageLink } from '@/components/ui/page-link';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';
import { RegistrationForm } from './registration-form';
import { RegistrationProviders } from './registration-providers';

/** Creates an account (docs/product.md#screens). */
export function RegistrationScreen() {
  const { t } = useMessages('registration');
  return (
    <AuthLayout
      heading={t('heading')}
      aside={
        <p className={styles.aside}>
          {t('haveAccount')} <PageLink href={paths.signIn}>{t('signIn')}</PageLink>
        </p>
      }
    >
      <RegistrationForm />
      <RegistrationProviders />
    </AuthLayout>
  );
}
