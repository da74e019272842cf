import { Suspense, useEffect } from 'react';
import { onAuthEvent } from '@/lib/browser/auth/sign-in/events';
import { forgetPendingLink, getPendingRedirect, isProviderRemembered } from '@/lib/browser/auth/pending';
import { captureCallback, forgetOwnCallback } from '@/lib/browser/callback';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { usePublicEnv } from '@/lib/browser/config/context';
import { hasMarketingConsent, isConsentRefused, readCookie } from '@/lib/browser/cookies';
import { lazyWithFallback, whenIdle, whenSettled } from '@/lib/browser/hooks';
import { paths } from '@/lib/shared/paths';
import {
  signOutOfProvider,
  confirmPageAccount,
  reloadPage,
  setPageAccount,
  refreshSessionHint,
  useSessionHint,
  setAuthStatus,
  onMessage,
  broadcast,
} from '@/lib/browser/session/state';

/** Loaded when another tab signs out, because most pages never need it. */
const loadSessionEnd = () => import('@/lib/browser/session/end-session');
const SessionPoller = lazyWithFallback(() => import('@/lib/browser/session/session-poller'));

type Props = {
  /**
   * Whether this page must not redirect to the callback, because the loop guard stopped that or the learner must sign
   * in again.
   */
  bounced: boolean | null;
  /** The account that the server rendered this page for. */
  accountUid: string | undefined;
};

/**
 * Runs on page load, and polls the session if the session hint shows that the user is signed in. It runs again on every
 * in-app navigation, because each has a new `env`. Tasks that must run once per document check that themselves.
 */
export function SessionBootstrap(props: Props) {
  const { accountUid } = props;
  const env = usePublicEnv();
  const isSignedInHint = useSessionHint();

  useEffect(() => {
    recordVisit(env);
    const { pathname } = window.location;
    // The redirect URI of the sign-out page is not the destination of the next sign-in.
    if (pathname === paths.signOut) forgetOwnCallback();
    else captureCallback(env);
    // On any other page, the user has left the flow that links a pending credential.
    const isLinking = pathname === paths.linkAccount || pathname === paths.enterprise;
    if (!isLinking && getPendingRedirect() === null) forgetPendingLink();
    if (!refreshSessionHint()) startSignedOut(env);
    if (accountUid !== undefined && !confirmPageAccount(accountUid)) return;
    const stopBroadcasting = onAuthEvent((event) => {
      if (event === 'signOut') broadcast('signed-out');
    });
    // If the code does not load, reload only a page of an account. Any other page would lose typed input.
    const endWithoutCode = accountUid === undefined ? showSignedOut : reloadPage;
    const stopListening = onMessage((message) => {
      if (message === 'signed-in') refreshSessionHint();
      if (message === 'signed-out')
        void loadSessionEnd().then((module) => module.endSession(env, accountUid), endWithoutCode);
    });
    return () => {
      stopBroadcasting();
      stopListening();
    };
  }, [env, accountUid]);

  return <Suspense>{isSignedInHint && <SessionPoller {...props} env={env} />}</Suspense>;
}

/**
 * Handles a page without a signed-in user. A user who is still signed in at the identity provider is signed out there,
 * too.
 */
function startSignedOut(env: PublicEnv): void {
  showSignedOut();
  if (!isProviderRemembered() || getPendingRedirect() !== null) return;
  whenIdle(() => void signOutOfProvider(env).catch(() => undefined));
}

function showSignedOut(): void {
  setAuthStatus({ status: 'unauthenticated' });
  setPageAccount(null);
}

/**
 * Records the campaign and starts analytics, each only with the learner's consent. Both are loaded once the page is
 * usable. Load failures do not matter.
 */
function recordVisit({ mixpanel, brandName, mainDomain }: PublicEnv): void {
  // Read it now, because the URL may change before the callback runs.
  const { search } = window.location;
  whenIdle(() => {
    if (!search.includes('utm_') && !isConsentRefused()) return;
    import('@/lib/browser/analytics/campaign')
      .then((campaign) => campaign.recordCampaign(search, mainDomain))
      .catch(warn);
  });
  // A signed-in user has no form to fill in, so there is no need to wait longer.
  const isSignedIn = readCookie('loggedIn') === '1';
  (isSignedIn ? whenIdle : whenSettled)(() => {
    if (!mixpanel || !hasMarketingConsent()) return;
    import('@/lib/browser/analytics/start')
      .then((analytics) => analytics.startAnalytics(mixpanel, brandName))
      .catch(warn);
  });
}

function warn({ name }: Error): void {
  console.warn('analytics:', name);
}
