import Head from 'next/head';
import { useTranslation } from 'next-i18next/pages';
import type { ReactNode } from 'react';
import { usePublicEnv } from '@/lib/config/public-env-context';
import styles from './app-shell.module.css';
import { Mark } from './mark';
import { SessionEnding } from './session-ending';
import { SignOutButton } from './sign-out-button';
import { ThemeSwitch } from './theme-switch';

type Props = { heading: string; lead?: ReactNode; children?: ReactNode };

/** The frame of pages for signed-in learners: the brand, who is here, the way out. */
export function AppShell({ heading, lead, children }: Props) {
  const { t } = useTranslation('common');
  const env = usePublicEnv();
  return (
    <div className={styles.page}>
      <Head>
        <title>{t('title.page', { page: heading, brand: env.brandName })}</title>
      </Head>
      <header className={styles.header}>
        <Mark brandName={env.brandName} logo={undefined} />
        <div className={styles.person}>
          <SignOutButton />
          <ThemeSwitch />
        </div>
      </header>
      <SessionEnding />
      <main className={styles.main}>
        <div className={styles.intro}>
          <h1>{heading}</h1>
          {lead !== undefined && <p className={styles.lead}>{lead}</p>}
        </div>
        {children}
      </main>
    </div>
  );
}
