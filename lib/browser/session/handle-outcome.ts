import { emitAuthEvent } from '@/lib/browser/auth/sign-in/events';
import { isProviderRemembered } from '@/lib/browser/auth/provider/provider-memory';
import { goToCallback } from '@/lib/browser/callback';
import { readCookie, writeCookie } from '@/lib/browser/cookies';
import { whenIdle } from '@/lib/browser/when-idle';
import { detectRedirectLoop } from '@/lib/shared/callback/redirect-loop';
import { toAssurance } from '@/lib/shared/acr-values';
import { paths } from '@/lib/shared/paths';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import type { SessionStatus } from '@/lib/shared/session-contract';
import { endSession, isEntryPage } from './end-session';
import { confirmPageAccount } from './page-account';
import { setAuthStatus } from './status';

export type SessionOutcome =
  | { live: true; session: SessionStatus }
  /** `deleted`: because the account was deleted. */
  | { live: false; deleted: boolean };

/**
 * Applies the result of a conclusive session check to this page. Loaded with the session poller: only browsers with a
 * session need it.
 * @param bounced false: this page may redirect to the callback. The loop guard has stopped that, or (null) the learner has to sign in once more
 */
export function handleOutcome(env: PublicEnv, outcome: SessionOutcome, bounced: boolean | null): void {
  if (!outcome.live) {
    // A link of an email needs no session, and may have ended it: nothing leads away from its page.
    if (window.location.pathname === paths.actions) return setAuthStatus({ status: 'unauthenticated' });
    if (outcome.deleted) emitAuthEvent('userDeleted');
    return void endSession(env);
  }
  if (!confirmPageAccount(outcome.session.uid)) return;
  setAuthStatus({ status: 'authenticated', session: outcome.session });
  if (!isEntryPage()) return restoreProvider(env, outcome.session.uid);
  if (bounced === false) goToCallbackUnlessLooping(env, outcome.session);
}

/** The session outlived the provider's user in this browser: restores that user (docs/product.md#screens). */
function restoreProvider(env: PublicEnv, uid: string): void {
  if (isProviderRemembered()) return;
  whenIdle(() => void import('@/lib/browser/auth/sign-in/auto-sign-in').then((auto) => auto.restoreOnce(env, uid)));
}

/** Redirects a learner who is already signed in, unless a redirect loop is detected. */
function goToCallbackUnlessLooping(env: PublicEnv, { assurance }: SessionStatus): void {
  const bounce = detectRedirectLoop(readCookie('callbackBounces'), Date.now());
  if (bounce.looping) return;
  writeCookie('callbackBounces', bounce.next, env.mainDomain);
  // The platform asks for more than this session has.
  if (assurance < toAssurance(readCookie('acrValues'))) window.location.replace(paths.setUpSecondFactor);
  else goToCallback(env);
}
