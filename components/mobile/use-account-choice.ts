import { useState } from 'react';
import type { ChoiceFailure } from '@/lib/account/mobile-choice';
import { postJson } from '@/lib/api/client';
import { signOut } from '@/lib/auth/sign-out';
import { usePublicEnv } from '@/lib/config/public-env-context';
import { apiPaths, pathWithReturn } from '@/lib/paths';

type Phase =
  | { name: 'idle' | 'asking' | 'leaving' }
  | { name: 'sent'; address: string }
  | { name: 'failed'; reason: ChoiceFailure };

/** Lets the app in with the signed-in account, or goes to sign in with another one. */
export function useAccountChoice(request: string) {
  const env = usePublicEnv();
  const [phase, setPhase] = useState<Phase>({ name: 'idle' });

  const goOn = async () => {
    setPhase({ name: 'asking' });
    const answer = await postJson<{ address: string }>(apiPaths.mobileAuthorize, { request });
    if (!answer.ok) return setPhase({ name: 'failed', reason: reasonOf(answer.status) });
    setPhase({ name: 'sent', address: answer.data.address });
    window.location.assign(answer.data.address);
  };
  const leave = async () => {
    setPhase({ name: 'leaving' });
    if (await signOut(env)) window.location.replace(pathWithReturn('mobile-account-selection'));
    else setPhase({ name: 'failed', reason: 'unavailable' });
  };
  return { phase, goOn: () => void goOn(), another: () => void leave() };
}

function reasonOf(status: number): ChoiceFailure {
  if (status === 400) return 'request';
  return status === 401 ? 'session' : 'unavailable';
}
