import { useLeaving } from '@/components/session/use-sign-out';
import { Button } from '@/components/ui/button';
import { getSignInPath, signInAgain } from '@/lib/browser/auth/sign-in/sign-out';
import { usePublicEnv } from '@/lib/browser/config/context';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';
import styles from './account.module.css';

type Props = {
  email: string | null;
  /** Runs before the sign-out, to keep a change that was begun. */
  onLeave?: (() => void) | undefined;
  /** Path of another page to sign in at. */
  path?: string;
  label?: string;
};

/** Signs out and leads to sign-in, which returns to this page. */
export function SignInAgain({ email, onLeave, path = paths.signIn, label }: Props) {
  const { t } = useMessages('common');
  const env = usePublicEnv();
  const { isBusy, leave } = useLeaving(() => {
    onLeave?.();
    return signInAgain(env, email, getSignInPath().replace(paths.signIn, path));
  });
  return (
    <div className={styles.again}>
      <Button kind="quiet" busy={isBusy} busyLabel={t('signingOut')} onClick={() => void leave()}>
        {label ?? t('signInAgain')}
      </Button>
    </div>
  );
}
