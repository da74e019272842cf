import type { ReactNode } from 'react';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import { PageLink } from '@/components/ui/page-link';
import { PageTitle } from '@/components/ui/page-title';
import { useMessages } from '@/lib/browser/use-messages';
import styles from './app-shell.module.css';
import { FooterLinks } from './footer-links';
import { Mark } from './mark';
import { ScriptNotice } from './script-notice';
import { MAIN_ID, SkipLink } from './skip-link';
import { ThemeSwitch } from './theme-switch';

type Props = {
  heading: string;
  lead?: ReactNode;
  /** Where the brand leads. */
  home: string;
  /** In the header, after the brand. */
  nav: ReactNode;
  /** In the header, before the theme switch. */
  actions: ReactNode;
  /** Between header and contents. */
  banner: ReactNode;
  children?: ReactNode;
};

/** The frame of pages for signed-in learners. `components/session/signed-in-shell.tsx` fills it. */
export function AppShell({ heading, lead, home, nav, actions, banner, children }: Props) {
  const { t } = useMessages('common');
  const env = usePublicEnv();
  return (
    <PageTitle title={t('title.page', { page: heading, brand: env.brandName })}>
      <div className={styles.page}>
        <SkipLink />
        <header className={styles.header}>
          <PageLink href={home} className={styles.brand ?? ''}>
            <Mark brandName={env.brandName} logo={undefined} />
          </PageLink>
          {nav}
          <div className={styles.actions}>
            {actions}
            <ThemeSwitch />
          </div>
        </header>
        {banner}
        <main className={styles.main} id={MAIN_ID} tabIndex={-1}>
          <div className={styles.intro}>
            <h1>{heading}</h1>
            {lead !== undefined && <p className={styles.lead}>{lead}</p>}
          </div>
          <ScriptNotice />
          {children}
        </main>
        <div className={styles.footer}>
          <FooterLinks />
        </div>
      </div>
    </PageTitle>
  );
}
