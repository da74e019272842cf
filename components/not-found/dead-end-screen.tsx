import type { ReactNode } from 'react';
import styles from '@/components/layout/flow.module.css';
import { Button, ButtonLink } from '@/components/ui/button';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';
import { PageTitle } from '@/components/ui/page-title';
import { Mark } from '../layout/mark';
import authLayoutStyles from '../layout/auth-layout.module.css';

type Props = { kind: 'notFound' | 'failure' };

/** A page that does not exist or failed: shows the error, a button that loads it again, and a link to sign-in. */
export function DeadEndScreen({ kind }: Props) {
  const { t } = useMessages('not-found');
  const canRetry = kind === 'failure';
  return (
    <PlainLayout heading={t(`${kind}.heading`)} lead={t(`${kind}.lead`)}>
      <div className={styles.stack}>
        {canRetry && <Button onClick={() => window.location.reload()}>{t('again')}</Button>}
        <ButtonLink kind={canRetry ? 'secondary' : 'primary'} href={paths.signIn}>
          {t('toSignIn')}
        </ButtonLink>
      </div>
    </PlainLayout>
  );
}

type PlainLayoutProps = { heading: string; lead: string; children: ReactNode };

/** The layout of pages that must work without configuration: not found, and errors. */
function PlainLayout({ heading, lead, children }: PlainLayoutProps) {
  return (
    <PageTitle title={heading}>
      <div className={authLayoutStyles.page}>
        <div className={authLayoutStyles.column}>
          <header className={authLayoutStyles.header}>
            <Mark brandName="" logo={undefined} />
          </header>
          <main className={authLayoutStyles.main}>
            <div className={authLayoutStyles.intro}>
              <h1>{heading}</h1>
              <p className={authLayoutStyles.lead}>{lead}</p>
            </div>
            {children}
          </main>
        </div>
      </div>
    </PageTitle>
  );
}
