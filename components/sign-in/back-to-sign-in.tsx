import { PageLink } from '@/components/ui/page-link';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';
import styles from './sign-in.module.css';

/** The link back to all sign-in methods. */
export function BackToSignIn() {
  const { t } = useMessages('sign-in');
  return (
    <div className={styles.otherWays}>
      <PageLink href={paths.signIn}>{t('anotherWay')}</PageLink>
    </div>
  );
}
