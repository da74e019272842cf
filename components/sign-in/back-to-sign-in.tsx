import { useTranslation } from 'next-i18next/pages';
import { PageLink } from '@/components/ui/page-link';
import { paths } from '@/lib/paths';
import styles from './sign-in.module.css';

/** The way back to all other ways in. */
export function BackToSignIn() {
  const { t } = useTranslation('sign-in');
  return (
    <div className={styles.otherWays}>
      <PageLink href={paths.signIn}>{t('anotherWay')}</PageLink>
    </div>
  );
}
