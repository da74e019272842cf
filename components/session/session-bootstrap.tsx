import { Suspense, useCallback, useEffect } from 'react';
import { recordVisit } from '@/lib/browser/analytics/visit';
import { emitAuthEvent, onAuthEvent } from '@/lib/browser/auth/sign-in/events';
import { forgetPendingLink } from '@/lib/browser/auth/sign-in/pending-link';
import { getPendingRedirect } from '@/lib/browser/auth/redirect/pending-redirect';
import { isProviderRemembered } from '@/lib/browser/auth/provider/provider-memory';
import { goToCallbackUnlessLooping, captureCallback } from '@/lib/browser/callback';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import { lazyWithFallback } from '@/lib/browser/lazy-with-fallback';
import { entryPages, getSessionPageName, paths, pathWithReturn } from '@/lib/shared/paths';
import { reportError } from '@/lib/shared/error-reporting/report';
import { confirmPageAccount, setPageAccount } from '@/lib/browser/session/page-account';
import { refreshSessionHint, useSessionHint } from '@/lib/browser/session/session-hint';
import { setAuthStatus } from '@/lib/browser/session/status';
import { onMessage, broadcast } from '@/lib/browser/session/tab-sync';
import type { SessionOutcome } from '@/lib/browser/session/session-poller';
import { whenIdle } from '@/lib/browser/when-idle';

const SessionPoller = lazyWithFallback(() => import('@/lib/browser/session/session-poller'));

type Props = {
  /** The loop guard stopped a redirect to the callback: this page must not start another one. */
  bounced: boolean;
  /** The account that the server rendered this page for. */
  accountUid: string | undefined;
};

/**
 * Runs on page load, and polls the session if the session hint says that the user is signed in. Runs again on every
 * in-app navigation, because each brings a new `env`: tasks that must run once per document check that themselves.
 */
export function SessionBootstrap({ bounced, accountUid }: Props) {
  const env = usePublicEnv();
  const isSignedInHint = useSessionHint();

  useEffect(() => {
    recordVisit(env);
    // The redirect URI of the sign-out page is not where the next sign-in leads.
    if (window.location.pathname !== paths.signOut) captureCallback(env);
    // On any other page, the user has left the flow that links a pending credential.
    if (window.location.pathname !== paths.linkAccount && getPendingRedirect() === null) forgetPendingLink();
    if (!refreshSessionHint()) startSignedOut(env);
    if (accountUid !== undefined && !confirmPageAccount(accountUid)) return;
    const stopBroadcasting = onAuthEvent((event) => {
      if (event === 'signOut') broadcast('signed-out');
    });
    const stopListening = onMessage((message) => {
      if (message === 'signed-in') refreshSessionHint();
      if (message === 'signed-out') void endSession(env);
    });
    return () => {
      stopBroadcasting();
      stopListening();
    };
  }, [env, accountUid]);

  const onOutcome = useCallback(
    (outcome: SessionOutcome) => {
      if (!outcome.live) {
        if (outcome.deleted) emitAuthEvent('userDeleted');
        return void endSession(env);
      }
      if (!confirmPageAccount(outcome.session.uid)) return;
      setAuthStatus({ status: 'authenticated', session: outcome.session });
      if (!isEntryPage()) return restoreProvider(env, outcome.session.uid);
      if (!bounced) goToCallbackUnlessLooping(env);
    },
    [env, bounced],
  );

  return <Suspense>{isSignedInHint && <SessionPoller env={env} onOutcome={onOutcome} />}</Suspense>;
}

/** No user is signed in: a user still signed in at the identity provider is signed out there as well. */
function startSignedOut(env: PublicEnv): void {
  setAuthStatus({ status: 'unauthenticated' });
  setPageAccount(null);
  if (!isProviderRemembered() || getPendingRedirect() !== null) return;
  whenIdle(() => void signOutOfProvider(env).catch(() => undefined));
}

/** The session outlived the provider's user in this browser: restores that user (docs/product.md#screens). */
function restoreProvider(env: PublicEnv, uid: string): void {
  if (isProviderRemembered()) return;
  whenIdle(() => void import('@/lib/browser/auth/sign-in/auto-sign-in').then((auto) => auto.restoreOnce(env, uid)));
}

async function signOutOfProvider(env: PublicEnv): Promise<void> {
  const session = await import('@/lib/browser/auth/provider/provider-session');
  await session.signOutOfFirebase(env);
}

function isEntryPage(): boolean {
  return entryPages.includes(window.location.pathname);
}

/** The session has ended: signs out of the identity provider as well, and notifies the user on the sign-in page. */
async function endSession(env: PublicEnv): Promise<void> {
  setAuthStatus({ status: 'unauthenticated' });
  await signOutOfProvider(env).catch((error: unknown) =>
    reportError(error, { during: 'signing out of the identity provider' }),
  );
  if (isEntryPage()) return setPageAccount(null);
  window.location.replace(pathWithReturn(getSessionPageName(window.location.pathname), 'AutoSignOut'));
}
