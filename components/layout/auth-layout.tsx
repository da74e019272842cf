import { Suspense, type ReactNode } from 'react';
import { useAppConfig } from '@/lib/browser/config/app-config-context';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import { useMessages } from '@/lib/browser/use-messages';
import { PageTitle } from '@/components/ui/page-title';
import styles from './auth-layout.module.css';
import { BrandHead } from './brand-head';
import { CookieNotice } from './cookie-notice';
import { FooterLinks } from './footer-links';
import { SplitScreenArt } from './split-screen-art';
import { LearningContext, LearningContextLine } from './learning-context';
import { Mark } from './mark';
import { ScriptNotice } from './script-notice';
import { ThemeSwitch } from './theme-switch';

type Props = {
  /** The page's only `h1`, and the title of its tab. */
  heading: string;
  /** Text under the heading; by default the learner's destination. */
  lead?: ReactNode;
  /** Below the lead, e.g. a link to what most visitors without an account need. */
  aside?: ReactNode;
  /** Whether to show the learner's destination in addition to the lead. */
  showsContext?: boolean;
  children: ReactNode;
};

/** The layout of every sign-in screen: one column, and a picture beside it if the brand enables the split screen. */
export function AuthLayout({ heading, lead, aside, showsContext = true, children }: Props) {
  const { t } = useMessages('common');
  const env = usePublicEnv();
  const config = useAppConfig();
  const brandName = config?.brandName ?? env.brandName;
  const split = config?.showSplitScreen === true;
  return (
    <PageTitle title={t('title.page', { page: heading, brand: brandName })}>
      <div className={`${styles.page ?? ''} ${split ? (styles.split ?? '') : ''}`}>
        <BrandHead config={config} />
        <div className={styles.column}>
          <header className={styles.header}>
            <Mark brandName={brandName} logo={config?.logo} />
            <ThemeSwitch />
          </header>
          <main className={styles.main}>
            <div className={styles.intro}>
              <h1>{heading}</h1>
              <p className={styles.lead}>{lead ?? <LearningContext />}</p>
              {lead !== undefined && showsContext && <LearningContextLine className={styles.context} />}
              {aside}
            </div>
            <CookieNotice />
            <ScriptNotice />
            {/* Hydrates in a separate task, after the layout (docs/adr/0019). */}
            <Suspense>{children}</Suspense>
          </main>
          <FooterLinks />
        </div>
        {split && (
          <aside className={styles.aside} aria-hidden={config.splitScreenHeadline === undefined}>
            {config.splitScreenPicture === undefined ? (
              <SplitScreenArt />
            ) : (
              // eslint-disable-next-line @next/next/no-img-element -- a brand's picture comes from anywhere
              <img className={styles.brandPicture} src={config.splitScreenPicture} alt="" />
            )}
            {config.splitScreenHeadline !== undefined && (
              <p className={styles.headline}>{config.splitScreenHeadline}</p>
            )}
          </aside>
        )}
      </div>
    </PageTitle>
  );
}
