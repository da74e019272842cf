import type { ReactNode, MouseEvent } from 'react';
import { usePublicEnv } from '@/lib/browser/config/context';
import { PageLink } from '@/components/ui/page-link';
import { PageTitle } from '@/components/ui/page-title';
import { useMessages } from '@/lib/browser/use-messages';
import { FooterLinks, ScriptNotice, ThemeSwitch } from './shell-parts';
import { Mark } from './mark';
import styles from './app-shell.module.css';

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

const MAIN_ID = 'main';

/** For keyboard users: past the header. Without scripts it is a link to the place. */
function SkipLink() {
  const { t } = useMessages('app-shell');
  const skip = (event: MouseEvent) => {
    // With a hash in the address, the framework would not load the page's data again after a change.
    event.preventDefault();
    document.getElementById(MAIN_ID)?.focus();
  };
  return (
    <a className={styles.skip} href={`#${MAIN_ID}`} onClick={skip}>
      {t('skip')}
    </a>
  );
}
