import { useRouter } from 'next/router';
import { useEffect, useState } from 'react';
import {
  finishLinkRedirect,
  linkMethod,
  reauthenticate,
  unlinkMethod,
  type Proof,
} from '@/lib/browser/account/account-methods';
import type { AuthErrorCode } from '@/lib/browser/auth/sign-in/error-codes';
import { getPendingRedirect } from '@/lib/browser/auth/redirect/pending-redirect';
import type { SocialProviderId } from '@/lib/shared/providers/social-providers';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';

export type Change = { kind: 'link'; id: SocialProviderId } | { kind: 'unlink'; id: string };

/** Every change needs its own reauthentication: idle → proving → (link: proved →) working → done or failed. */
export type MethodsPhase =
  | { name: 'idle' }
  | { name: 'proving' | 'checking' | 'proved' | 'working'; change: Change; failure?: AuthErrorCode }
  | { name: 'done'; kind: Change['kind'] }
  | { name: 'failed'; failure: AuthErrorCode };

/** Links and unlinks sign-in methods of the signed-in user. @param person the user of the session */
export function useMethods(person: { uid: string; email: string | null }) {
  const env = usePublicEnv();
  const router = useRouter();
  const [phase, setPhase] = useState<MethodsPhase>({ name: 'idle' });

  const settle = async (change: Change, failure: AuthErrorCode | null) => {
    if (failure !== null) return setPhase({ name: 'failed', failure });
    // Redirected to the provider: the page loaded after the redirect finishes the change.
    if (getPendingRedirect() !== null) return;
    await router.replace(router.asPath);
    setPhase({ name: 'done', kind: change.kind });
  };

  useEffect(() => {
    void finishLinkRedirect(env).then(async (outcome) => {
      if (outcome === 'nothing') return;
      if (outcome !== 'linked') return setPhase({ name: 'failed', failure: outcome });
      await router.replace(router.asPath);
      setPhase({ name: 'done', kind: 'link' });
    });
    // Runs once, on page load.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [env]);

  const prove = async (change: Change, proof: Proof) => {
    setPhase({ name: 'checking', change });
    const failure = await reauthenticate(env, person, proof);
    if (failure !== null) setPhase({ name: 'proving', change, failure });
    else if (change.kind === 'link') setPhase({ name: 'proved', change });
    else {
      setPhase({ name: 'working', change });
      await settle(change, await unlinkMethod(env, change.id));
    }
    return failure;
  };
  const link = async (change: Change) => {
    if (change.kind !== 'link') return;
    setPhase({ name: 'working', change });
    await settle(change, await linkMethod(env, change.id));
  };
  return {
    phase,
    begin: (change: Change) => setPhase({ name: 'proving', change }),
    cancel: () => setPhase({ name: 'idle' }),
    prove,
    link: (change: Change) => void link(change),
  };
}
