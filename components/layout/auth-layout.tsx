import Head from 'next/head';
import { useTranslation } from 'next-i18next/pages';
import { Suspense, type ReactNode } from 'react';
import { useAppConfig } from '@/lib/config/app-config-context';
import { usePublicEnv } from '@/lib/config/public-env-context';
import { paths } from '@/lib/paths';
import { PageLink } from '@/components/ui/page-link';
import styles from './auth-layout.module.css';
import { BrandHead } from './brand-head';
import { CookieNotice } from './cookie-notice';
import { Doorway } from './doorway';
import { LearningContext, LearningContextLine } from './learning-context';
import { Mark } from './mark';
import { ThemeSwitch } from './theme-switch';

type Props = {
  /** The page's one `h1`, and the title of its tab. */
  heading: string;
  /** Under the heading; where the learner goes on to, unless there is something else to say. */
  lead?: ReactNode;
  /** Whether words on where the learner goes on to would help here. */
  showsContext?: boolean;
  children: ReactNode;
};

/** The frame of every sign-in screen: one column, and beside it the picture where the brand asks for a split screen. */
export function AuthLayout({ heading, lead, showsContext = true, children }: Props) {
  const { t } = useTranslation('common');
  const env = usePublicEnv();
  const config = useAppConfig();
  const brandName = config?.brandName ?? env.brandName;
  const split = config?.showSplitScreen === true;
  return (
    <div className={`${styles.page ?? ''} ${split ? (styles.split ?? '') : ''}`}>
      <Head>
        <title>{t('title.page', { page: heading, brand: brandName })}</title>
      </Head>
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
          </div>
          <CookieNotice />
          {/* Comes alive in a task of its own, after the frame (docs/adr/0019). */}
          <Suspense>{children}</Suspense>
        </main>
        <FooterLinks />
      </div>
      {split && (
        <aside className={styles.aside} aria-hidden={config.splitScreenHeadline === undefined}>
          {config.splitScreenPicture === undefined ? (
            <Doorway />
          ) : (
            // eslint-disable-next-line @next/next/no-img-element -- a brand's picture comes from anywhere
            <img className={styles.brandPicture} src={config.splitScreenPicture} alt="" />
          )}
          {config.splitScreenHeadline !== undefined && <p className={styles.headline}>{config.splitScreenHeadline}</p>}
        </aside>
      )}
    </div>
  );
}

function FooterLinks() {
  const { t } = useTranslation('common');
  const env = usePublicEnv();
  const config = useAppConfig();
  return (
    <footer className={styles.footer}>
      {config?.termsUrl !== undefined && <a href={config.termsUrl}>{t('footer.terms')}</a>}
      {config?.privacyUrl !== undefined && <a href={config.privacyUrl}>{t('footer.privacy')}</a>}
      <a href={config?.supportUrl ?? `mailto:${env.supportMailbox}`}>{t('footer.support')}</a>
      <PageLink href={paths.selfCheck}>{t('footer.selfCheck')}</PageLink>
    </footer>
  );
}
