import { useState } from 'react';
import { showToast } from '@/components/ui/toasts';
import { isSharedComputer } from '@/lib/browser/auth/sign-in/this-device';
import { signOut, signOutAndClearDevice } from '@/lib/browser/auth/sign-in/sign-out';
import { usePublicEnv } from '@/lib/browser/config/context';
import { useMessages } from '@/lib/browser/use-messages';
import { useVisits } from '@/lib/browser/use-visits';

/**
 * Signs out in this browser and redirects to sign-in. If the user is still signed in at some websites, a page lists
 * these first. On a shared computer, it also clears the device.
 */
export function useSignOut() {
  const env = usePublicEnv();
  return useLeaving(async () => {
    const next = await (isSharedComputer() ? signOutAndClearDevice(env) : signOut(env));
    if (next !== null) window.location.replace(next);
    return next !== null;
  });
}

/**
 * State of a button that signs out. It shows a failed sign-out itself, so that no screen can forget that.
 * @param end signs out and redirects; returns false if the session could not be ended
 */
export function useLeaving(end: () => Promise<boolean>) {
  const { t } = useMessages('common');
  const [isBusy, setBusy] = useState(false);
  const visits = useVisits(() => setBusy(false));
  const leave = async () => {
    const visit = visits.current;
    setBusy(true);
    if ((await end()) || visit !== visits.current) return;
    setBusy(false);
    const failure = t('signOutFailed');
    // Without a connection, the toast's code may not load either.
    await showToast('error', failure).catch(() => window.alert(failure));
  };
  return { isBusy, leave };
}
