import { Suspense, type ReactNode, useLayoutEffect } from 'react';
import Head from 'next/head';
import { useAppConfig, usePublicEnv } from '@/lib/browser/config/context';
import { useMessages } from '@/lib/browser/use-messages';
import { PageTitle } from '@/components/ui/page-title';
import { useClientValue } from '@/lib/browser/hooks';
import type { PageConfig } from '@/lib/shared/config/app-config';
import { Notice } from '@/components/ui/notice';
import { errorTextKey } from '@/lib/browser/auth/sign-in/error-codes';
import { areCookiesEnabled } from '@/lib/browser/cookies';
import { getDestination } from '@/lib/browser/callback';
import { getLearningContext, useDisplayDomain } from '@/lib/browser/learning-context';
import { getCallbackPolicy } from '@/lib/shared/config/public-env';
import { FooterLinks, ScriptNotice, ThemeSwitch } from './shell-parts';
import { Mark } from './mark';
import styles from './auth-layout.module.css';
import splitScreenArtStyles from './split-screen-art.module.css';

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
              {lead && showsContext && <LearningContextLine className={styles.context} />}
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
              // oxlint-disable-next-line nextjs/no-img-element -- a brand's picture comes from anywhere
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

/**
 * The brand's colors. The first response holds the colors as a style element whose hash is in the page's
 * CSP. A brand that loads later is applied as an adopted style sheet, because the CSP does not contain its hash.
 */
function BrandHead({ config }: { config: PageConfig | null }) {
  const css = config?.brandCss ?? null;
  const isFirstResponse = useClientValue(() => false, true);
  useAdoptedSheet(css);
  return (
    <Head>{css !== null && isFirstResponse && <style key="brand" dangerouslySetInnerHTML={{ __html: css }} />}</Head>
  );
}

const useBrowserLayoutEffect = typeof window === 'undefined' ? () => undefined : useLayoutEffect;

function useAdoptedSheet(css: string | null): void {
  useBrowserLayoutEffect(() => {
    if (css === null || !('adoptedStyleSheets' in document)) return;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    document.adoptedStyleSheets.push(sheet);
    return () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== sheet);
    };
  }, [css]);
}

/** Checked once per page load. */
let areEnabled: boolean | undefined;

/** Warns before the user types that cookies are disabled, because no session can persist. */
function CookieNotice() {
  const { t } = useMessages('common');
  const { mainDomain } = usePublicEnv();
  const kept = useClientValue(() => (areEnabled ??= areCookiesEnabled(mainDomain)), true);
  return kept ? null : <Notice tone="error">{t(errorTextKey('auth/cookies-off'))}</Notice>;
}

/** Shows the learner's destination. Only the browser knows it, so the page itself stays cacheable. */
function LearningContext() {
  const { t } = useMessages('common');
  const env = usePublicEnv();
  const brandName = useAppConfig()?.brandName ?? env.brandName;
  return <span>{useContextWords() ?? t('context.account', { brand: brandName })}</span>;
}

/** The destination in addition to another lead: renders nothing if there is no specific destination. */
function LearningContextLine({ className }: { className: string | undefined }) {
  const words = useContextWords();
  return words === null ? null : <p className={className}>{words}</p>;
}

function useContextWords(): string | null {
  const { t } = useMessages('common');
  const env = usePublicEnv();
  const brandName = useAppConfig()?.brandName ?? env.brandName;
  const destination = useClientValue(() => getDestination(env), null);
  // The dashboard is the default destination, so it is not mentioned.
  const isDefault = destination === null || destination === getCallbackPolicy(env).dashboardUrl;
  const context = isDefault ? null : getLearningContext(destination);
  const domain = useDisplayDomain(context?.domain ?? null);
  if (context === null) return null;
  const place = context.domain === null ? brandName : domain;
  if (place === null) return null;
  const { course } = context;
  return course === null ? t('context.continueTo', { place }) : t('context.continueToCourse', { place, course });
}

/**
 * The picture of the split screen: a path to an open door, in flat shapes of the brand's color. It is a file of its own, so that neither
 * the page nor its script carries it; its colors are custom properties, which it inherits from here.
 */
function SplitScreenArt() {
  return (
    <svg
      className={splitScreenArtStyles.picture}
      viewBox="-180 -300 1000 1200"
      preserveAspectRatio="xMidYMax slice"
      aria-hidden="true"
    >
      <use href="/split-screen-art.svg#art" />
    </svg>
  );
}
