import styles from '@/components/layout/flow.module.css';
import { Button, ButtonLink } from '@/components/ui/button';
import { PageReady } from '@/lib/browser/page-start';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';
import { PageTitle } from '@/components/ui/page-title';
import { Mark } from '../layout/mark';
import authLayoutStyles from '../layout/auth-layout.module.css';

type Props = { kind: 'notFound' | 'failure' };

/**
 * A page that does not exist or failed. It shows the error, a retry button and a link to sign-in. It must work without
 * configuration.
 */
export function DeadEndScreen({ kind }: Props) {
  const { t } = useMessages('not-found');
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
              <ButtonLink kind={canRetry ? 'secondary' : 'primary'} href={paths.signIn}>
                {t('toSignIn')}
              </ButtonLink>
            </div>
          </main>
        </div>
      </div>
      <PageReady />
    </PageTitle>
  );
}
