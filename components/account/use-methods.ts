import { useRouter } from 'next/router';
import { useEffect, useState } from 'react';
import { finishLinkRedirect, linkMethod, provePerson, unlinkMethod, type Proof } from '@/lib/auth/account-methods';
import type { AuthErrorCode } from '@/lib/auth/error-codes';
import { pendingRedirect } from '@/lib/auth/pending-redirect';
import type { SocialProviderId } from '@/lib/auth/providers';
import { usePublicEnv } from '@/lib/config/public-env-context';

export type Change = { kind: 'link'; id: SocialProviderId } | { kind: 'unlink'; id: string };

/** A change needs a proof of its own: idle → proving → (link: proved →) working → done or failed. */
export type MethodsPhase =
  | { name: 'idle' }
  | { name: 'proving' | 'checking' | 'proved' | 'working'; change: Change; failure?: AuthErrorCode }
  | { name: 'done'; kind: Change['kind'] }
  | { name: 'failed'; failure: AuthErrorCode };

/** Linking and unlinking of the signed-in person's sign-in methods. @param uid whose session it is */
export function useMethods(uid: string) {
  const env = usePublicEnv();
  const router = useRouter();
  const [phase, setPhase] = useState<MethodsPhase>({ name: 'idle' });

  const settle = async (change: Change, failure: AuthErrorCode | null) => {
    if (failure !== null) return setPhase({ name: 'failed', failure });
    // Left for the provider: the next page settles it.
    if (pendingRedirect() !== null) return;
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
    // Once, when the page starts.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [env]);

  const prove = async (change: Change, proof: Proof) => {
    setPhase({ name: 'checking', change });
    const failure = await provePerson(env, uid, proof);
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
