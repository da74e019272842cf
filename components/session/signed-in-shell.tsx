import { useRouter } from 'next/router';
import { useRef, useState, type MouseEvent, type ReactNode, type RefObject } from 'react';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { PageLink } from '@/components/ui/page-link';
import { PageTitle } from '@/components/ui/page-title';
import { signInAgain } from '@/lib/browser/auth/sign-in/sign-out';
import { useBrand, usePublicEnv } from '@/lib/browser/config/context';
import { displayTime } from '@/lib/browser/dates';
import { extendSession, useSessionEnd } from '@/lib/browser/session/session-end';
import { setAuthStatus, useAuthStatus } from '@/lib/browser/session/state';
import { PageReady } from '@/lib/browser/page-start';
import { useLanguage, useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';
import { AccountMenu } from './account-menu';
import frame from './frame.module.css';
import { Mark } from '../layout/mark';
import { PageNotice } from '../layout/page-notice';
import { FooterLinks, Preferences, ScriptNotice } from '../layout/shell-parts';
import styles from './session.module.css';
import { useLeaving, useSignOut } from './use-sign-out';

type Props = { heading: string; lead?: ReactNode; children?: ReactNode };

/**
 * The layout of pages for signed-in learners: brand, pages, sign-out button, account menu, and a warning before the
 * session expires.
 */
export function SignedInShell({ heading, lead, children }: Props) {
  const { t } = useMessages('common');
  const brand = useBrand().name;
  const main = useRef<HTMLElement>(null);
  return (
    <PageTitle title={t('title.page', { page: heading, brand })}>
      <div className={frame.page}>
        <SkipLink main={main} />
        <header className={frame.header}>
          <PageLink href={paths.courses} className={frame.brand ?? ''}>
            <Mark />
          </PageLink>
          <div className={frame.pages}>
            <PagesNav />
            <SignOutButton />
          </div>
          <div className={frame.actions}>
            <Preferences />
            <SignedInAccount />
          </div>
        </header>
        <SessionExpiryWarning />
        <main ref={main} className={frame.main} id={MAIN_ID} tabIndex={-1}>
          <div className={frame.intro}>
            <h1>{heading}</h1>
            {lead !== undefined && <p className={frame.lead}>{lead}</p>}
          </div>
          <PageNotice />
          <ScriptNotice />
          {children}
        </main>
        <div className={frame.footer}>
          <FooterLinks />
        </div>
      </div>
      <PageReady />
    </PageTitle>
  );
}

/** The layout without content, for the platform and for pre-caching (docs/product.md#screens). */
export function EmptyShell() {
  const { t } = useMessages('dashboard');
  return <SignedInShell heading={t('shell.heading')} />;
}

/** Announces, also to screen readers, that the session expires soon. Extending it keeps the page's state. */
function SessionExpiryWarning() {
  const { t } = useMessages('app-shell');
  const language = useLanguage();
  const env = usePublicEnv();
  const auth = useAuthStatus();
  const email = auth.status === 'authenticated' ? auth.session.email : null;
  const end = useSessionEnd();
  const [told, setTold] = useState<{ end: number; outcome: 'sign-in-required' | 'failed' } | null>(null);
  const [working, setWorking] = useState(false);
  const signingInAgain = useLeaving(() => signInAgain(env, email));
  // Another tab may have signed in again, so the session ends at another time.
  const outcome = end && told?.end === end.getTime() ? told.outcome : null;
  const needsSignIn = outcome === 'sign-in-required';
  const stay = async () => {
    setWorking(true);
    const extended = await extendSession(env);
    setWorking(false);
    if (typeof extended === 'string') return setTold({ end: end?.getTime() ?? 0, outcome: extended });
    setAuthStatus({ status: 'authenticated', session: extended });
  };
  return (
    <div aria-live="polite" className={styles.ending}>
      {end && (
        <Notice tone="info" inRegion>
          <div className={styles.endingRow}>
            <div>
              <p>
                {needsSignIn
                  ? t('ending.signIn', { time: displayTime(end, language) })
                  : t('ending.text', { time: displayTime(end, language) })}
              </p>
              {outcome === 'failed' && <p>{t('ending.failed')}</p>}
            </div>
            <Button
              kind="secondary"
              busy={working || signingInAgain.isBusy}
              busyLabel={needsSignIn ? t('common:signingOut') : t('ending.working')}
              onClick={() => void (needsSignIn ? signingInAgain.leave() : stay())}
            >
              {needsSignIn ? t('common:signInAgain') : t('ending.stay')}
            </Button>
          </div>
        </Notice>
      )}
    </div>
  );
}

/** Absent while no user is known to be signed in. */
function SignedInAccount() {
  const auth = useAuthStatus();
  if (auth.status !== 'authenticated') return null;
  return <AccountMenu name={auth.session.displayName} email={auth.session.email} />;
}

/** Absent while no user is known to be signed in. */
function SignOutButton() {
  const { t } = useMessages('app-shell');
  const auth = useAuthStatus();
  const { isBusy, leave } = useSignOut();
  if (auth.status !== 'authenticated') return null;
  return (
    <Button kind="quiet" busy={isBusy} busyLabel={t('common:signingOut')} onClick={() => void leave()}>
      {t('signOut')}
    </Button>
  );
}

/** The pages of a signed-in learner. */
function PagesNav() {
  const { t } = useMessages('app-shell');
  const { pathname } = useRouter();
  const isCurrent = (path: string) => (pathname === path ? 'page' : undefined);
  return (
    <nav className={styles.pages} aria-label={t('navigation')}>
      <PageLink href={paths.courses} aria-current={isCurrent(paths.courses)}>
        {t('courses')}
      </PageLink>
      {/* Load a new document, because the identity provider's SDK is initialized differently there. */}
      <a href={paths.security} aria-current={isCurrent(paths.security)}>
        {t('account')}
      </a>
    </nav>
  );
}

const MAIN_ID = 'main';

/** Lets keyboard users skip the header. Without scripts, it is a link to the content. */
function SkipLink({ main }: { main: RefObject<HTMLElement | null> }) {
  const { t } = useMessages('app-shell');
  const skip = (event: MouseEvent) => {
    // With a hash in the URL, the framework would not reload the page's data after a change.
    event.preventDefault();
    main.current?.focus();
  };
  return (
    <a className={frame.skip} href={`#${MAIN_ID}`} onClick={skip}>
      {t('skip')}
    </a>
  );
}
