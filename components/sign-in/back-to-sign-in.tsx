import { PageLink } from '@/components/ui/page-link';
import { carryTypedEmail } from '@/lib/browser/account/carried-email';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';
import styles from '@/components/layout/flow.module.css';

/** The link back to all sign-in methods. @param props `label` replaces its text */
export function BackToSignIn({ label }: { label?: string }) {
  const { t } = useMessages('sign-in');
  return (
    <div className={styles.links}>
      <PageLink href={paths.signIn} onClick={carryTypedEmail}>
        {label ?? t('anotherWay')}
      </PageLink>
    </div>
  );
}
