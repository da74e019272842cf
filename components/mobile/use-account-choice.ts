import { useState } from 'react';
import { postJson } from '@/lib/browser/api-client';
import { signInAgain } from '@/lib/browser/auth/sign-in/sign-in-again';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import { useFreshAfterBack } from '@/lib/browser/use-fresh-after-back';
import { apiPaths } from '@/lib/shared/api-paths';

/**
 * Why sign-in to the mobile app failed: its request has expired, the session has ended, or the state cannot be
 * determined.
 */
export const CHOICE_FAILURES = ['request', 'session', 'unavailable'] as const;
type ChoiceFailure = (typeof CHOICE_FAILURES)[number];

type Phase =
  | { name: 'idle' | 'asking' | 'leaving' }
  /** The last sign-in is too old to authorize an app. */
  | { name: 'sign-in-required'; leaving: boolean }
  | { name: 'sent'; address: string }
  | { name: 'failed'; reason: ChoiceFailure };

/**
 * Authorizes the app with the signed-in account; signs in again if required, or with another account.
 * @param email of the signed-in account
 */
export function useAccountChoice(request: string, email: string | null) {
  const env = usePublicEnv();
  const [phase, setPhase] = useState<Phase>({ name: 'idle' });
  // Back from the sign-in of another account, or from the app: a button that waits would stay blocked.
  useFreshAfterBack(() => setPhase((present) => (present.name === 'sent' ? present : { name: 'idle' })));

  const goOn = async () => {
    setPhase({ name: 'asking' });
    const result = await postJson<{ address: string }>(apiPaths.mobileAuthorize, { request });
    if (!result.ok && result.code === 'recent-login-required')
      return setPhase({ name: 'sign-in-required', leaving: false });
    if (!result.ok) return setPhase({ name: 'failed', reason: getFailureReason(result.status) });
    setPhase({ name: 'sent', address: result.data.address });
    window.location.assign(result.data.address);
  };
  const leave = async (phaseMeanwhile: Phase, filledIn: string | null) => {
    setPhase(phaseMeanwhile);
    if (!(await signInAgain(env, filledIn))) setPhase({ name: 'failed', reason: 'unavailable' });
  };
  return {
    phase,
    goOn: () => void goOn(),
    signIn: () => void leave({ name: 'sign-in-required', leaving: true }, email),
    another: () => void leave({ name: 'leaving' }, null),
  };
}

function getFailureReason(status: number): ChoiceFailure {
  if (status === 400) return 'request';
  return status === 401 ? 'session' : 'unavailable';
}
