import { useEffect, useState } from 'react';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import type { SignInFailure } from '../sign-in/complete-sign-in';
import { getPendingRedirect } from './pending-redirect';
import { endSsoStart, getPendingSsoStart } from './sso-guard';

/** State of a redirect that a page may have returned from. */
export type RedirectReturn =
  | { name: 'unknown' | 'none' }
  | { name: 'finishing' }
  /** The user returned, or started again, without a result from the provider. */
  | { name: 'unanswered'; provider: string }
  | { name: 'failed'; failure: SignInFailure };

/** Completes an enterprise or partner redirect that returned to this page; `unknown` until the state has been read. */
export function useRedirectReturn(): RedirectReturn {
  const env = usePublicEnv();
  const [state, setState] = useState<RedirectReturn>({ name: 'unknown' });
  useEffect(() => {
    let current = true;
    const tell = (next: RedirectReturn) => current && setState(next);
    const start = getPendingSsoStart();
    const unanswered: RedirectReturn = start === null ? { name: 'none' } : { name: 'unanswered', provider: start };
    const finish = async () => {
      if (getPendingRedirect() === null) return tell(unanswered);
      tell({ name: 'finishing' });
      const { finishRedirect } = await import('../sign-in/federated');
      const outcome = await finishRedirect(env);
      if (outcome === 'nothing') return tell(unanswered);
      if (outcome !== null) tell({ name: 'failed', failure: outcome });
    };
    void finish().then(() => endSsoStart(env));
    return () => {
      current = false;
    };
  }, [env]);
  return state;
}
