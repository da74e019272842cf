import { useRouter } from 'next/router';
import { useEffect } from 'react';
import {
  finishLinkRedirect,
  linkMethod,
  reauthenticate,
  unlinkMethod,
  type MethodFailure,
  type Proof,
} from '@/lib/browser/account/account-methods';
import { carryEmail } from '@/lib/browser/account/carried-email';
import { keepPendingChange, takePendingChange } from '@/lib/browser/account/pending-change';
import { getPendingRedirect } from '@/lib/browser/auth/redirect/pending-redirect';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import { checkAuthStatus } from '@/lib/browser/session/api';
import { canChangeMethod, type AccountSecurity, type MethodChange } from '@/lib/shared/account/security';
import { pathWithReturn } from '@/lib/shared/paths';
import { POPUP_CLOSED, useAttempts } from './use-attempts';

/** Every change needs its own reauthentication: idle → opening → proving → (link: proved →) working → done or failed. */
export type MethodsPhase =
  | { name: 'idle' }
  | {
      name: 'opening' | 'proving' | 'checking' | 'proved' | 'working';
      change: MethodChange;
      failure?: MethodFailure;
    }
  | { name: 'done'; outcome: 'linked' | 'unlinked' | 'passwordRemoved' }
  | { name: 'failed'; during: MethodChange | null; failure: MethodFailure };

/** `show` of an attempt. */
type Show = (next: MethodsPhase) => boolean;

/** Links and unlinks sign-in methods of the signed-in user. @param account of the session's user */
export function useMethods(account: AccountSecurity) {
  const env = usePublicEnv();
  const router = useRouter();
  const { phase, setPhase, startAttempt } = useAttempts<MethodsPhase>({ name: 'idle' });

  const reloadMethods = () => router.replace(router.asPath);

  /** Another tab or device can have ended the session or changed the methods since this page was loaded. */
  const begin = async (change: MethodChange) => {
    const { show } = startAttempt();
    show({ name: 'opening', change });
    const session = await checkAuthStatus();
    if (!session.ok && session.status === 401) {
      keepPendingChange(account.uid, change);
      carryEmail(account.email ?? '');
      return window.location.assign(pathWithReturn('security', 'AutoSignOut'));
    }
    if (session.ok) await reloadMethods();
    show({ name: 'proving', change });
  };

  const settle = async (show: Show, change: MethodChange, failure: MethodFailure | null) => {
    if (failure === 'last-method') await reloadMethods();
    if (failure === POPUP_CLOSED) return show({ name: 'proved', change, failure });
    if (failure !== null) return show({ name: 'failed', during: change, failure });
    // Redirected to the provider: the page loaded after the redirect finishes the change.
    if (getPendingRedirect() !== null) return;
    await reloadMethods();
    show({ name: 'done', outcome: toOutcome(change) });
  };

  useEffect(() => {
    void finishLinkRedirect(env).then(async (outcome) => {
      if (outcome === 'nothing') {
        const interrupted = takePendingChange(account.uid);
        return interrupted && begin(interrupted);
      }
      if (outcome !== 'linked') return setPhase({ name: 'failed', during: null, failure: outcome });
      await reloadMethods();
      setPhase({ name: 'done', outcome: 'linked' });
    });
    // Runs once, on page load.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [env]);

  const prove = async (change: MethodChange, proof: Proof) => {
    const { show, signal } = startAttempt();
    show({ name: 'checking', change });
    const onClosed = () => show({ name: 'proving', change, failure: POPUP_CLOSED });
    const failure = await reauthenticate(env, account, proof, { signal, onClosed });
    if (failure !== null) show({ name: 'proving', change, failure });
    else if (change.kind === 'link') show({ name: 'proved', change });
    else if (show({ name: 'working', change })) await settle(show, change, await unlinkMethod(env, change.id));
    return failure;
  };
  const link = async (change: MethodChange) => {
    if (change.kind !== 'link') return;
    const { show, signal } = startAttempt();
    show({ name: 'working', change });
    const onClosed = () => show({ name: 'proved', change, failure: POPUP_CLOSED });
    await settle(show, change, await linkMethod(env, change.id, { signal, onClosed }));
  };
  const isObsolete = phase.name === 'proving' && !canChangeMethod(account, phase.change);
  return {
    phase: isObsolete ? ({ name: 'idle' } as const) : phase,
    begin: (change: MethodChange) => void begin(change),
    cancel: () => startAttempt().show({ name: 'idle' }),
    prove,
    link: (change: MethodChange) => void link(change),
    keepChange: (change: MethodChange) => keepPendingChange(account.uid, change),
  };
}

function toOutcome({ kind, id }: MethodChange) {
  if (kind === 'link') return 'linked';
  return id === 'password' ? 'passwordRemoved' : 'unlinked';
}
