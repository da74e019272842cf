import { useEffect, useState } from 'react';
import { usePublicEnv } from '@/lib/config/public-env-context';
import type { EntryFailure } from './enter';
import { pendingRedirect } from './pending-redirect';
import { endSsoStart, unansweredSsoStart } from './sso-guard';

/** How a page stands to a redirect it may be back from. */
export type RedirectReturn =
  | { name: 'unknown' | 'none' }
  | { name: 'finishing' }
  /** The person came back, or started again, without an answer of the provider. */
  | { name: 'unanswered'; provider: string }
  | { name: 'failed'; failure: EntryFailure };

/** Completes an enterprise or partner redirect this page is back from; `unknown` until the browser has been asked. */
export function useRedirectReturn(): RedirectReturn {
  const env = usePublicEnv();
  const [state, setState] = useState<RedirectReturn>({ name: 'unknown' });
  useEffect(() => {
    let current = true;
    const tell = (next: RedirectReturn) => current && setState(next);
    const start = unansweredSsoStart();
    const unanswered: RedirectReturn = start === null ? { name: 'none' } : { name: 'unanswered', provider: start };
    const finish = async () => {
      if (pendingRedirect() === null) return tell(unanswered);
      tell({ name: 'finishing' });
      const { finishRedirect } = await import('./federated');
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
