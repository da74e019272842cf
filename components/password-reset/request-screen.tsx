import { AuthLayout } from '@/components/layout/auth-layout';
import styles from '@/components/layout/flow.module.css';
import { PageLink } from '@/components/ui/page-link';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';
import { RequestForm } from './request-form';

/** Requests a reset code, or help for users who do not know their sign-in method. */
export function RequestScreen() {
  const { t } = useMessages('forget-password');
  return (
    <AuthLayout heading={t('heading')} lead={t('lead')}>
      <RequestForm />
      <p className={styles.links}>
        <PageLink href={paths.signIn}>{t('back')}</PageLink>
      </p>
    </AuthLayout>
  );
}
