import { useEffect, useState } from 'react';
import { usePublicEnv } from '@/lib/browser/config/context';
import { reportError } from '@/lib/shared/error-reporting/report';
import { readCookie, removeCookie } from '@/lib/browser/cookies';
import type { SignInFailure } from '../sign-in/error-codes';
import { getPendingRedirect } from '../pending';

/**
 * State of a redirect that a page may have returned from. `unanswered`: the user returned, or started again, without a
 * result from the provider.
 */
type RedirectReturn =
  | { name: 'unknown' | 'none' | 'finishing' | 'unanswered' }
  | { name: 'failed'; failure: SignInFailure };

/**
 * Completes an enterprise or partner redirect that returned to this page. The state is `unknown` until it was read.
 * @param isOwn whether the page signs in with this provider, because a sign-in without a result may belong to another
 *   page
 */
export function useRedirectReturn(isOwn: (provider: string) => boolean): RedirectReturn {
  const env = usePublicEnv();
  const [state, setState] = useState<RedirectReturn>({ name: 'unknown' });
  useEffect(() => {
    let current = true;
    const tell = (next: RedirectReturn) => current && setState(next);
    // The cookie of a sign-in without a result. It expires after 15 minutes.
    const unanswered: RedirectReturn = { name: isOwn(readCookie('ssoLoginInit') ?? '') ? 'unanswered' : 'none' };
    const finish = async () => {
      if (getPendingRedirect() === null) return tell(unanswered);
      tell({ name: 'finishing' });
      const { finishRedirect } = await import('../sign-in/federated');
      const outcome = await finishRedirect(env);
      if (outcome === 'nothing') return tell(unanswered);
      if (outcome !== null) tell({ name: 'failed', failure: outcome });
    };
    // The connection was lost, or the code belongs to another build.
    const fail = (error: unknown) => {
      reportError(error, { during: 'coming back from a provider' });
      tell({ name: 'failed', failure: { code: 'auth/network-request-failed', retryAfter: null } });
    };
    void finish()
      .catch(fail)
      .then(() => removeCookie('ssoLoginInit', env.mainDomain));
    return () => {
      current = false;
    };
    // Once: another language brings another environment, and the answer is taken by then.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);
  return state;
}
