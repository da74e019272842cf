import { useState } from 'react';
import { showToast } from '@/components/ui/toasts';
import { isSharedComputer } from '@/lib/browser/auth/sign-in/this-device';
import { signOut, signOutAndClearDevice } from '@/lib/browser/auth/sign-in/sign-out';
import { usePublicEnv } from '@/lib/browser/config/context';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';

/** Signs out in this browser, and leads to sign-in; on a shared computer it clears the device, too. */
export function useSignOut() {
  const { t } = useMessages('common');
  const env = usePublicEnv();
  const [isBusy, setBusy] = useState(false);
  const leave = async () => {
    setBusy(true);
    const done = await (isSharedComputer() ? signOutAndClearDevice(env) : signOut(env));
    if (done) return window.location.replace(paths.signIn);
    setBusy(false);
    await showToast('error', t('errors.auth/session-unavailable'));
  };
  return { isBusy, leave };
}
