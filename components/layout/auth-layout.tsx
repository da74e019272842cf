import { Suspense, type ReactNode } from 'react';
import { useAppConfig, useBrand, usePublicEnv } from '@/lib/browser/config/context';
import { useMessages } from '@/lib/browser/use-messages';
import { PageTitle } from '@/components/ui/page-title';
import { useClientValue } from '@/lib/browser/hooks';
import { PageReady } from '@/lib/browser/page-start';
import { Notice } from '@/components/ui/notice';
import { errorTextKey } from '@/lib/browser/auth/sign-in/error-codes';
import { areCookiesEnabled } from '@/lib/browser/cookies';
import { getDestination } from '@/lib/browser/callback';
import { getLearningContext, useDisplayDomain } from '@/lib/browser/learning-context';
import { getCallbackPolicy } from '@/lib/shared/config/public-env';
import { FooterLinks, Preferences, ScriptNotice } from './shell-parts';
import { Mark } from './mark';
import { PageNotice } from './page-notice';
import styles from './auth-layout.module.css';

type Props = {
  /** The page's only `h1`, and the title of its tab. */
  heading: string;
  /** Text under the heading, by default the learner's destination. */
  lead?: ReactNode;
  /** Below the lead, e.g. a link to what most visitors without an account need. */
  aside?: ReactNode;
  /** How far the learner has come. The picture shows it by its door. */
  step?: 'code' | 'done' | undefined;
  /** Whether to show the learner's destination in addition to the lead. */
  showsContext?: boolean;
  children: ReactNode;
};

/** The layout of every sign-in screen. If the brand enables the split screen, a picture is beside the column. */
export function AuthLayout({ heading, lead, aside, step, showsContext = true, children }: Props) {
  const { t } = useMessages('common');
  const brand = useBrand();
  const config = useAppConfig();
  const split = config?.showSplitScreen === true;
  const headline = config?.splitScreenHeadline;
  return (
    <PageTitle title={t('title.page', { page: heading, brand: brand.name })}>
      <div className={split ? styles.split : styles.page} data-step={step}>
        <div className={styles.column}>
          <header className={styles.header}>
            <Mark />
            <Preferences />
          </header>
          <main className={styles.main}>
            <div className={styles.intro}>
              <h1>{heading}</h1>
              <p className={styles.lead}>{lead ?? <LearningContext />}</p>
              {lead && showsContext && <LearningContextLine />}
              {aside}
            </div>
            <PageNotice />
            <CookieNotice />
            <ScriptNotice />
            {/* Hydrates in a separate task, after the layout (docs/adr/0019). */}
            <Suspense>
              {children}
              <PageReady />
            </Suspense>
          </main>
          <FooterLinks />
        </div>
        {split && (
          <aside className={styles.aside} aria-hidden={!headline}>
            {config.splitScreenPicture ? (
              // oxlint-disable-next-line nextjs/no-img-element -- a brand's picture comes from anywhere
              <img src={config.splitScreenPicture} alt="" />
            ) : (
              // A path to a door, in flat shapes of the brand's color. The door is ajar at a code, and open at the end. A
              // separate file keeps the shapes out of the page and its script. They inherit their colors from here.
              <svg viewBox="-180 -300 1000 1200" preserveAspectRatio="xMidYMax slice" aria-hidden="true">
                <use href="/split-screen-art.svg#art" />
              </svg>
            )}
            {headline && <p dir="auto">{headline}</p>}
          </aside>
        )}
      </div>
    </PageTitle>
  );
}

/** The check runs once per page load. */
let areEnabled: boolean | undefined;

/** Warns before the user types that cookies are disabled, because no session can persist. */
function CookieNotice() {
  const { t } = useMessages('common');
  const { mainDomain } = usePublicEnv();
  const kept = useClientValue(() => (areEnabled ??= areCookiesEnabled(mainDomain)), true);
  return kept ? null : <Notice tone="error">{t(errorTextKey('auth/cookies-off'))}</Notice>;
}

/** Shows the learner's destination. Only the browser reads it, so the page itself stays cacheable. */
function LearningContext() {
  const { t } = useMessages('common');
  const brand = useBrand().name;
  return <span>{useContextWords() ?? t('context.account', { brand })}</span>;
}

/** Shows the destination below another lead. Renders nothing if there is no specific destination. */
function LearningContextLine() {
  const words = useContextWords();
  return words === null ? null : <p>{words}</p>;
}

function useContextWords(): string | null {
  const { t } = useMessages('common');
  const env = usePublicEnv();
  const { name: brandName } = useBrand();
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
