import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { showToast } from '@/components/ui/toasts';
import { isSharedComputer } from '@/lib/browser/auth/sign-in/shared-computer';
import { signOut, signOutAndClearDevice } from '@/lib/browser/auth/sign-in/sign-out';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import { useMessages } from '@/lib/browser/use-messages';
import { toDisplayEmail } from '@/lib/shared/display-domain';
import { paths } from '@/lib/shared/paths';
import { useAuthStatus } from '@/lib/browser/session/status';
import styles from './session.module.css';

/** The signed-in user and the sign-out button. Renders nothing while no user is known to be signed in. */
export function SignOutButton() {
  const { t } = useMessages('app-shell');
  const env = usePublicEnv();
  const auth = useAuthStatus();
  const [busy, setBusy] = useState(false);
  if (auth.status !== 'authenticated') return null;

  const leave = async () => {
    setBusy(true);
    const done = await (isSharedComputer() ? signOutAndClearDevice(env) : signOut(env));
    if (done) return window.location.replace(paths.signIn);
    setBusy(false);
    await showToast('error', t('common:errors.auth/session-unavailable'));
  };
  const { displayName, email } = auth.session;
  const name = displayName ?? (email === null ? null : toDisplayEmail(email));
  return (
    <>
      <span className={styles.name} title={name ?? undefined}>
        {name}
      </span>
      <Button kind="quiet" busy={busy} busyLabel={t('common:signingOut')} onClick={() => void leave()}>
        {t('signOut')}
      </Button>
    </>
  );
}
