import type { ReactNode } from 'react';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import { PageTitle } from '@/components/ui/page-title';
import { useMessages } from '@/lib/browser/use-messages';
import styles from './app-shell.module.css';
import { Mark } from './mark';
import { SessionExpiryWarning } from '@/components/session/session-expiry-warning';
import { SignOutButton } from '@/components/session/sign-out-button';
import { ScriptNotice } from './script-notice';
import { ThemeSwitch } from './theme-switch';

type Props = { heading: string; lead?: ReactNode; children?: ReactNode };

/** The layout of pages for signed-in learners: brand, user name, sign-out button. */
export function AppShell({ heading, lead, children }: Props) {
  const { t } = useMessages('common');
  const env = usePublicEnv();
  return (
    <PageTitle title={t('title.page', { page: heading, brand: env.brandName })}>
      <div className={styles.page}>
        <header className={styles.header}>
          <Mark brandName={env.brandName} logo={undefined} />
          <div className={styles.person}>
            <SignOutButton />
            <ThemeSwitch />
          </div>
        </header>
        <SessionExpiryWarning />
        <main className={styles.main}>
          <div className={styles.intro}>
            <h1>{heading}</h1>
            {lead !== undefined && <p className={styles.lead}>{lead}</p>}
          </div>
          <ScriptNotice />
          {children}
        </main>
      </div>
    </PageTitle>
  );
}
