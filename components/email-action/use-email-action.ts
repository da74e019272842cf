import { useCallback, useEffect, useState } from 'react';
import type { EmailAction } from '@/lib/account/email-action';
import { inspectAction, type Inspection } from '@/lib/auth/email-action';
import type { AuthErrorCode } from '@/lib/auth/error-codes';
import { signOut } from '@/lib/auth/sign-out';
import { usePublicEnv } from '@/lib/config/public-env-context';
import { useAuthStatus } from '@/lib/session/status';

/** Codes after which the link is of no more use. */
const DEAD: readonly AuthErrorCode[] = ['EXPIRED_OOB_CODE', 'INVALID_OOB_CODE', 'auth/invalid-action-code', 'auth/user-disabled']; // prettier-ignore

export type ActionState =
  | { name: 'checking' }
  | { name: 'ready'; email: string | null }
  | { name: 'other-person'; present: string; wanted: string | null }
  | { name: 'confirmed' }
  | { name: 'dead'; code: AuthErrorCode }
  /** It cannot be told now, e.g. without a connection. */
  | { name: 'unreachable'; code: AuthErrorCode };

/**
 * Where an opened link stands: its code is looked at, and compared with who is signed in here.
 * @param expected the address a sign-in link was asked for here; the provider does not tell it
 */
export function useEmailAction(action: EmailAction, expected: string | null) {
  const env = usePublicEnv();
  const auth = useAuthStatus();
  const [inspection, setInspection] = useState<Inspection | null>(null);
  const [switched, setSwitched] = useState(false);

  const inspect = useCallback(async () => {
    setInspection(null);
    setInspection(await inspectAction(env, action));
  }, [env, action]);
  useEffect(() => {
    void inspectAction(env, action).then(setInspection);
  }, [env, action]);

  const present = auth.status === 'authenticated' && !switched ? (auth.session.email ?? '') : null;
  return {
    state: stateOf(inspection, auth.status === 'loading', present, expected),
    inspect,
    switchPerson: async () => {
      if (await signOut(env)) setSwitched(true);
    },
  };
}

function stateOf(
  inspection: Inspection | null,
  undecided: boolean,
  present: string | null,
  expected: string | null,
): ActionState {
  if (inspection === null || undecided) return { name: 'checking' };
  if (!inspection.ok && inspection.code === 'confirmed') return { name: 'confirmed' };
  if (!inspection.ok) return { name: DEAD.includes(inspection.code) ? 'dead' : 'unreachable', code: inspection.code };
  const wanted = inspection.email ?? expected;
  if (present !== null && present !== wanted) return { name: 'other-person', present, wanted };
  return { name: 'ready', email: wanted };
}
