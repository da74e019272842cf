import { Suspense, useCallback, useEffect } from 'react';
import { recordVisit } from '@/lib/analytics/visit';
import { emitAuthEvent, onAuthEvent } from '@/lib/auth/events';
import { forgetPendingLink } from '@/lib/auth/pending-link';
import { pendingRedirect } from '@/lib/auth/pending-redirect';
import { isProviderRemembered } from '@/lib/auth/provider-memory';
import { goToCallbackUnlessLooping, startCallback } from '@/lib/callback/browser';
import type { PublicEnv } from '@/lib/config/public-env';
import { usePublicEnv } from '@/lib/config/public-env-context';
import { latePart } from '@/lib/late-part';
import { paths, queryNames, sessionPages } from '@/lib/paths';
import { reportError } from '@/lib/sentry/report';
import { refreshBelief, useBelievedSignedIn } from '@/lib/session/belief';
import { setAuthStatus } from '@/lib/session/status';
import { onOtherTab, tellOtherTabs } from '@/lib/session/tab-sync';
import type { SessionOutcome } from '@/lib/session/upkeep';
import { whenIdle } from '@/lib/when-idle';

const SessionUpkeep = latePart(() => import('@/lib/session/upkeep'));

/** Pages that only make sense to someone who is not signed in yet. */
const ENTRY_PAGES: readonly string[] = [paths.signIn, paths.registration];

type Props = {
  /** The loop guard stopped a hand-over: this page must not start another one. */
  bounced: boolean;
};

/** What happens once when a page starts, and the session's upkeep for people who are believed to be signed in. */
export function AppStart({ bounced }: Props) {
  const env = usePublicEnv();
  const believedSignedIn = useBelievedSignedIn();

  useEffect(() => {
    recordVisit(env);
    startCallback(env);
    // Elsewhere, the flow in which a credential waits to be linked has been left.
    if (window.location.pathname !== paths.linkAccount && pendingRedirect() === null) forgetPendingLink();
    if (!refreshBelief()) startSignedOut(env);
    const stopTelling = onAuthEvent((event) => {
      if (event === 'signOut') tellOtherTabs('signed-out');
    });
    const stopListening = onOtherTab((message) => {
      if (message === 'signed-in') refreshBelief();
      else void leave(env);
    });
    return () => {
      stopTelling();
      stopListening();
    };
  }, [env]);

  const onOutcome = useCallback(
    (outcome: SessionOutcome) => {
      if (!outcome.live) {
        if (outcome.deleted) emitAuthEvent('userDeleted');
        return void leave(env);
      }
      setAuthStatus({ status: 'authenticated', session: outcome.session });
      if (!isEntryPage()) return restoreProvider(env, outcome.session.uid);
      if (!bounced) goToCallbackUnlessLooping(env);
    },
    [env, bounced],
  );

  return <Suspense>{believedSignedIn && <SessionUpkeep env={env} onOutcome={onOutcome} />}</Suspense>;
}

/** Nobody is signed in here; someone left behind at the identity provider is signed out there as well. */
function startSignedOut(env: PublicEnv): void {
  setAuthStatus({ status: 'unauthenticated' });
  if (!isProviderRemembered() || pendingRedirect() !== null) return;
  whenIdle(() => void leaveProvider(env).catch(() => undefined));
}

/** The session outlived what the identity provider knew in this browser; it is told again (product decisions, 6). */
function restoreProvider(env: PublicEnv, uid: string): void {
  if (isProviderRemembered()) return;
  whenIdle(() => void import('@/lib/auth/auto-sign-in').then((auto) => auto.restoreOnce(env, uid)));
}

async function leaveProvider(env: PublicEnv): Promise<void> {
  const session = await import('@/lib/auth/provider-session');
  await session.leaveProvider(env);
}

function isEntryPage(): boolean {
  return ENTRY_PAGES.includes(window.location.pathname);
}

/** The session is over: the identity provider is signed out as well, and the person is told on the sign-in page. */
async function leave(env: PublicEnv): Promise<void> {
  setAuthStatus({ status: 'unauthenticated' });
  await leaveProvider(env).catch((error: unknown) => reportError(error, { during: 'leaving' }));
  if (isEntryPage()) return;
  const query = new URLSearchParams({ [queryNames.notification]: 'AutoSignOut' });
  const name = Object.entries(sessionPages).find(([, path]) => path === window.location.pathname)?.[0];
  if (name) query.set(queryNames.returnTo, name);
  window.location.replace(`${paths.signIn}?${query.toString()}`);
}
