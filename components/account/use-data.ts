import { applyDataChange, type DataChange } from '@/lib/browser/account/account-data';
import { reauthenticate, type Proof, type ProofFailure } from '@/lib/browser/account/account-methods';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import type { AccountSecurity } from '@/lib/shared/account/security';
import { POPUP_CLOSED, useAttempts } from './use-attempts';

/** idle → proving → checking → working → done, or back to proving with a failure. */
export type DataPhase =
  | { name: 'idle' | 'downloaded' }
  | { name: 'proving' | 'checking' | 'working'; change: DataChange; failure?: ProofFailure };

/** Downloads the account's data, or schedules its deletion: each needs its own reauthentication. */
export function useData(account: AccountSecurity) {
  const env = usePublicEnv();
  const { phase, startAttempt } = useAttempts<DataPhase>({ name: 'idle' });

  const prove = async (change: DataChange, proof: Proof): Promise<ProofFailure | null> => {
    const { signal, show } = startAttempt();
    show({ name: 'checking', change });
    const onClosed = () => show({ name: 'proving', change, failure: POPUP_CLOSED });
    const refusal = await reauthenticate(env, account, proof, { signal, onClosed });
    if (refusal !== null) show({ name: 'proving', change, failure: refusal });
    if (refusal !== null || !show({ name: 'working', change })) return refusal;
    const failure = await applyDataChange(env, change);
    if (failure !== null) show({ name: 'proving', change, failure });
    // After a deletion was requested, the button stays busy until the next page.
    else if (change === 'download') show({ name: 'downloaded' });
    return failure;
  };

  return {
    phase,
    begin: (change: DataChange) => startAttempt().show({ name: 'proving', change }),
    cancel: () => startAttempt().show({ name: 'idle' }),
    prove,
  };
}
