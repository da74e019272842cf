import Link from 'next/link';
import { useTranslation } from 'next-i18next/pages';
import { paths } from '@/lib/paths';
import styles from './sign-in.module.css';

/** The way back to all other ways in. */
export function BackToSignIn() {
  const { t } = useTranslation('sign-in');
  return (
    <div className={styles.otherWays}>
      <Link href={paths.signIn} prefetch={false}>
        {t('anotherWay')}
      </Link>
    </div>
  );
}
