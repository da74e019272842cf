import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { reportError } from '@/lib/shared/error-reporting/report';
import { queryClient } from '@/lib/browser/query-client';
import { emitAuthEvent } from '@/lib/browser/auth/sign-in/events';
import { isProviderRemembered } from '@/lib/browser/auth/pending';
import { claimCallback, goToCallback } from '@/lib/browser/callback';
import { readCookie, writeCookie } from '@/lib/browser/cookies';
import { useFreshAfterBack, whenIdle } from '@/lib/browser/hooks';
import { detectRedirectLoop } from '@/lib/shared/callback/redirect-loop';
import { TWO_FACTORS, entryPages, paths } from '@/lib/shared/paths';
import type { SessionStatus } from '@/lib/shared/session-contract';
import { clearStorage, storage } from '@/lib/browser/storage';
import { checkAuthStatus } from './api';
import { endSession } from './end-session';
import { getAuthStatus, getPageAccount, onMessage, confirmPageAccount, setAuthStatus } from './state';
import { renewSessionWhenDue } from './renewal';

/** Polling interval of the session check, in milliseconds (docs/product.md#constants). */
export const POLL_INTERVAL_MS = 120_000;

type Props = {
  env: PublicEnv;
  /** Whether the loop guard has stopped a redirect to the callback, so that this page must not start another. */
  bounced: boolean | null;
  /** The account that the server rendered this page for. */
  accountUid: string | undefined;
};

/**
 * Checks the session while the user is active: immediately, every 120 s, on focus and when the network returns
 * (docs/product.md#session). It is loaded only if the session hint shows that the user is signed in.
 */
export default function SessionPoller(props: Props) {
  return (
    <QueryClientProvider client={queryClient()}>
      <Poll {...props} />
    </QueryClientProvider>
  );
}

function Poll({ env, bounced, accountUid }: Props) {
  const idle = useIdle();
  const { data, dataUpdatedAt, refetch } = useQuery({
    queryKey: ['session'],
    queryFn: fetchOutcome,
    staleTime: POLL_INTERVAL_MS,
    refetchInterval: idle ? false : POLL_INTERVAL_MS,
    refetchOnWindowFocus: 'always',
    refetchOnReconnect: 'always',
  });

  const applied = useRef<SessionOutcome>(undefined);
  useEffect(() => {
    if (!data) return;
    const isNew = applied.current !== data;
    applied.current = data;
    handleOutcome(env, data, { bounced, accountUid, isNew });
    // If the page shows another account, the user at the identity provider may be that account's.
    if (data.live && data.session.uid === getPageAccount()) void renewSessionWhenDue(env, data.session);
  }, [env, data, dataUpdatedAt, bounced, accountUid]);

  useEffect(() => {
    // The user is active again after a check was due.
    if (!idle && dataUpdatedAt > 0 && Date.now() - dataUpdatedAt >= POLL_INTERVAL_MS) void refetch();
  }, [idle, dataUpdatedAt, refetch]);

  useEffect(
    () =>
      onMessage((message) => {
        // Session storage and analytics state are per tab.
        if (message === 'device-cleared') clearStorage();
        // The session may belong to another account now.
        if (message === 'signed-in' || message === 'session-changed') void refetch();
      }),
    [refetch],
  );

  useFreshAfterBack(() => void refetch());

  return null;
}

/** @throws Error if the response is inconclusive, so that the check is retried */
async function fetchOutcome(): Promise<SessionOutcome> {
  const result = await checkAuthStatus();
  if (result.ok) return { live: true, session: result.data };
  if (result.status === 401) return { live: false, deleted: result.code === 'user-deleted' };
  throw new Error(`The session could not be checked: ${result.code}`);
}

function useIdle(): boolean {
  const [idle, setIdle] = useState(false);
  useEffect(() => watchActivity(setIdle).stop, []);
  return idle;
}

type SessionOutcome =
  | { live: true; session: SessionStatus }
  /** `deleted`: whether the session ended because the account was deleted. */
  | { live: false; deleted: boolean };

/**
 * Applies the result of a conclusive session check to this page. It is loaded with the session poller, because only
 * browsers with a session need it.
 * @param page `bounced`: false if the page may redirect to the callback. True if the loop guard has stopped that, null
 *   if the learner must sign in again; `isNew`: false if this page has applied the result before
 */
function handleOutcome(
  env: PublicEnv,
  outcome: SessionOutcome,
  { bounced, accountUid, isNew }: Omit<Props, 'env'> & { isNew: boolean },
): void {
  if (!outcome.live) {
    if (outcome.deleted) emitAuthEvent('userDeleted');
    return void endSession(env, accountUid);
  }
  if (!confirmPageAccount(outcome.session.uid)) return;
  const { status } = getAuthStatus();
  const isFromOtherTab = status === 'unauthenticated';
  // This page may have changed the account or the session since.
  if (isNew || status !== 'authenticated') setAuthStatus({ status: 'authenticated', session: outcome.session });
  if (!entryPages.includes(window.location.pathname)) return restoreProvider(env, outcome.session.uid);
  if (bounced === false) goToCallbackUnlessLooping(env, outcome.session, isFromOtherTab);
}

/** Restores the provider's user in this browser, because the session outlived it (docs/product.md#screens). */
function restoreProvider(env: PublicEnv, uid: string): void {
  if (isProviderRemembered()) return;
  whenIdle(() => {
    import('@/lib/browser/auth/sign-in/auto-sign-in').then((auto) => auto.restoreOnce(env, uid)).catch(reportError);
  });
}

/**
 * Redirects a user with a session, unless it detects a redirect loop.
 * @param isFromOtherTab whether another tab has signed in. Such tabs do not count as a loop, because the platform has
 *   not sent them back
 */
function goToCallbackUnlessLooping(env: PublicEnv, { assurance }: SessionStatus, isFromOtherTab: boolean): void {
  const bounce = detectRedirectLoop(readCookie('callbackBounces'), Date.now());
  if (bounce.looping && !isFromOtherTab) return;
  if (!isFromOtherTab) writeCookie('callbackBounces', bounce.next, env.mainDomain);
  claimCallback(env);
  // The platform requires more factors than this session has.
  if (assurance === 1 && readCookie('acrValues') === TWO_FACTORS) window.location.replace(paths.setUpSecondFactor);
  else goToCallback(env);
}

/** Time without input after which a user is idle, in milliseconds (docs/product.md#constants). */
export const IDLE_TIMEOUT_MS = 5_000;
export const IDLE_EVENT_THROTTLE_MS = 500;

const LAST_ACTIVE_KEY = 'last-active-time';
const INPUT_EVENTS = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart', 'focus'] as const;

export type UserActivity = { isIdle: () => boolean; stop: () => void };

/**
 * Detects whether the user is active. It listens for input and updates `last-active-time`, which all tabs share.
 * @param onChange called when the user becomes idle or active
 */
export function watchActivity(onChange: (idle: boolean) => void): UserActivity {
  let idle = false;
  let noticedAt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const settle = () => {
    const quietFor = Date.now() - lastActive();
    if (quietFor < IDLE_TIMEOUT_MS) timer = setTimeout(settle, IDLE_TIMEOUT_MS - quietFor);
    else change(true);
  };
  const change = (next: boolean) => {
    if (next === idle) return;
    idle = next;
    onChange(idle);
  };
  const wake = () => {
    clearTimeout(timer);
    timer = setTimeout(settle, IDLE_TIMEOUT_MS);
    change(false);
  };
  const notice = () => {
    const now = Date.now();
    if (now - noticedAt < IDLE_EVENT_THROTTLE_MS) return;
    noticedAt = now;
    remember(now);
    wake();
  };
  const noticeOtherTab = (event: StorageEvent) => {
    if (event.key === LAST_ACTIVE_KEY) wake();
  };

  INPUT_EVENTS.forEach((name) => window.addEventListener(name, notice, { passive: true, capture: true }));
  window.addEventListener('storage', noticeOtherTab);
  notice();
  return {
    isIdle: () => idle,
    stop: () => {
      clearTimeout(timer);
      INPUT_EVENTS.forEach((name) => window.removeEventListener(name, notice, { capture: true }));
      window.removeEventListener('storage', noticeOtherTab);
    },
  };
}

let fallback = 0;

function remember(time: number): void {
  fallback = time;
  // Without storage, this tab only tracks its own activity.
  storage('localStorage').setItem(LAST_ACTIVE_KEY, String(time));
}

function lastActive(): number {
  const stored = Number(storage('localStorage').getItem(LAST_ACTIVE_KEY));
  // A timestamp in the future, after the clock was set back, must not keep the user active forever.
  return Number.isFinite(stored) && stored <= Date.now() ? Math.max(stored, fallback) : fallback;
}
