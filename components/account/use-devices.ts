import { useRouter } from 'next/router';
import { reauthenticate, type Proof, type ProofFailure } from '@/lib/browser/account/account-methods';
import { carryEmail } from '@/lib/browser/account/carried-email';
import { endSessions, endSessionsWithProof, type EndResult } from '@/lib/browser/account/devices';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import type { SessionsToEnd } from '@/lib/shared/account/devices';
import type { AccountSecurity } from '@/lib/shared/account/security';
import { pathWithReturn } from '@/lib/shared/paths';
import { POPUP_CLOSED, useAttempts } from './use-attempts';

/** What is signed out, with its name on the page. */
export type Target = SessionsToEnd & { name: string };

/** idle → ending → (proving → checking → ending →) done or failed. */
export type DevicesPhase =
  | { name: 'idle' }
  | { name: 'ending' | 'done' | 'failed'; target: Target }
  | { name: 'proving' | 'checking'; target: Target; failure?: ProofFailure };

/** Signs out other sessions of the account; one older than 5 minutes asks for a proof first. */
export function useDevices(account: AccountSecurity) {
  const env = usePublicEnv();
  const router = useRouter();
  const { phase, setPhase, startAttempt } = useAttempts<DevicesPhase>({ name: 'idle' });

  const settle = async (target: Target, result: EndResult) => {
    if (result === 'signed-out') {
      carryEmail(account.email ?? '');
      return window.location.assign(pathWithReturn('security', 'AutoSignOut'));
    }
    if (result === 'proof-required') return setPhase({ name: 'proving', target });
    // Loading the page again while the database is away would lose the list.
    if (result === 'unavailable') return setPhase({ name: 'failed', target });
    // A failure can mean that the page is old.
    await router.replace(router.asPath);
    setPhase({ name: result, target });
  };

  const end = async (target: Target) => {
    setPhase({ name: 'ending', target });
    await settle(target, await endSessions(env, toRequest(target)));
  };

  const prove = async (target: Target, proof: Proof): Promise<ProofFailure | null> => {
    const { show, signal } = startAttempt();
    show({ name: 'checking', target });
    const onClosed = () => show({ name: 'proving', target, failure: POPUP_CLOSED });
    const failure = await reauthenticate(env, account, proof, { signal, onClosed });
    if (failure !== null) show({ name: 'proving', target, failure });
    if (failure !== null || signal.aborted) return failure;
    const result = await endSessionsWithProof(env, toRequest(target));
    // A second factor may have been turned on since the page was loaded.
    if (result === 'proof-required') await router.replace(router.asPath);
    await settle(target, result);
    return null;
  };

  return {
    phase,
    end: (target: Target) => void end(target),
    prove,
    cancel: () => startAttempt().show({ name: 'idle' }),
  };
}

function toRequest(target: Target): SessionsToEnd {
  return 'session' in target ? { session: target.session } : { others: true };
}
