import { useRouter } from 'next/router';
import { PageLink } from '@/components/ui/page-link';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';
import styles from './session.module.css';

/** The pages of a signed-in learner. */
export function PagesNav() {
  const { t } = useMessages('app-shell');
  const { pathname } = useRouter();
  const isCurrent = (path: string) => (pathname === path ? 'page' : undefined);
  return (
    <nav className={styles.pages} aria-label={t('navigation')}>
      <PageLink href={paths.courses} aria-current={isCurrent(paths.courses)}>
        {t('courses')}
      </PageLink>
      {/* A full page load: the identity provider's SDK is initialized differently there. */}
      <a href={paths.security} aria-current={isCurrent(paths.security)}>
        {t('security')}
      </a>
    </nav>
  );
}
