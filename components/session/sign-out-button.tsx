import { Button } from '@/components/ui/button';
import { useMessages } from '@/lib/browser/use-messages';
import { toDisplayEmail } from '@/lib/shared/display-domain';
import { useAuthStatus } from '@/lib/browser/session/status';
import styles from './session.module.css';
import { useSignOut } from './use-sign-out';

/** The signed-in user and the sign-out button. Renders nothing while no user is known to be signed in. */
export function SignOutButton() {
  const { t } = useMessages('app-shell');
  const auth = useAuthStatus();
  const { isBusy, leave } = useSignOut();
  if (auth.status !== 'authenticated') return null;

  const { displayName, email } = auth.session;
  const name = displayName ?? (email === null ? null : toDisplayEmail(email));
  return (
    <>
      <bdi className={styles.name} title={name ?? undefined}>
        {name}
      </bdi>
      <Button kind="quiet" busy={isBusy} busyLabel={t('common:signingOut')} onClick={() => void leave()}>
        {t('signOut')}
      </Button>
    </>
  );
}
