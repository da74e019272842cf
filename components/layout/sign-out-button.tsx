import { useTranslation } from 'next-i18next/pages';
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { showToast } from '@/components/ui/toasts';
import { clearDevice, isSharedComputer } from '@/lib/auth/shared-computer';
import { signOut } from '@/lib/auth/sign-out';
import { usePublicEnv } from '@/lib/config/public-env-context';
import { paths } from '@/lib/paths';
import { useAuthStatus } from '@/lib/session/status';
import styles from './app-shell.module.css';

/** Who is signed in, and the way out. Shows nothing while nobody is known to be. */
export function SignOutButton() {
  const { t } = useTranslation('app-shell');
  const env = usePublicEnv();
  const auth = useAuthStatus();
  const [busy, setBusy] = useState(false);
  if (auth.status !== 'authenticated') return null;

  const leave = async () => {
    setBusy(true);
    if (await signOut(env)) {
      if (isSharedComputer()) clearDevice(env);
      return window.location.replace(paths.signIn);
    }
    setBusy(false);
    await showToast('error', t('common:errors.auth/session-unavailable'));
  };
  const name = auth.session.displayName ?? auth.session.email;
  return (
    <>
      <span className={styles.name} title={name ?? undefined}>
        {name}
      </span>
      {/* A whole new page: the identity provider's SDK starts otherwise there. */}
      <a href={paths.security}>{t('security')}</a>
      <Button kind="quiet" busy={busy} busyLabel={t('common:signingOut')} onClick={() => void leave()}>
        {t('signOut')}
      </Button>
    </>
  );
}
