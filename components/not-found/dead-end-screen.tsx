import styles from '@/components/layout/flow.module.css';
import { Button, ButtonLink } from '@/components/ui/button';
import { useAppConfig } from '@/lib/browser/config/context';
import { readCookie } from '@/lib/browser/cookies';
import { useClientValue } from '@/lib/browser/hooks';
import { PageReady } from '@/lib/browser/page-start';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';
import { PageTitle } from '@/components/ui/page-title';
import { Mark } from '../layout/mark';
import authLayoutStyles from '../layout/auth-layout.module.css';
import shellStyles from '../layout/shell-parts.module.css';

type Props = { kind: 'notFound' | 'failure' };

/**
 * A page that does not exist or failed. It shows the error, a retry button and a link to sign-in. It must work without
 * configuration.
 */
export function DeadEndScreen({ kind }: Props) {
  const { t } = useMessages('not-found');
  const supportUrl = useAppConfig()?.supportUrl;
  // By a cookie, because the page makes no request.
  const isSignedIn = useClientValue(() => readCookie('loggedIn') === '1', false);
  const canRetry = kind === 'failure';
  const heading = t(`${kind}.heading`);
  return (
    <PageTitle title={heading}>
      <div className={authLayoutStyles.page}>
        <div className={authLayoutStyles.column}>
          <header className={authLayoutStyles.header}>
            <Mark />
          </header>
          <main className={authLayoutStyles.main}>
            <div className={authLayoutStyles.intro}>
              <h1>{heading}</h1>
              <p className={authLayoutStyles.lead}>{t(`${kind}.lead`)}</p>
            </div>
            <div className={styles.stack}>
              {canRetry && <Button onClick={() => window.location.reload()}>{t('again')}</Button>}
              <ButtonLink kind={canRetry ? 'secondary' : 'primary'} href={isSignedIn ? paths.courses : paths.signIn}>
                {isSignedIn ? t('toCourses') : t('toSignIn')}
              </ButtonLink>
            </div>
          </main>
          {supportUrl !== undefined && (
            <footer className={shellStyles.footer}>
              <a href={supportUrl}>{t('common:footer.support')}</a>
            </footer>
          )}
        </div>
      </div>
      <PageReady />
    </PageTitle>
  );
}
