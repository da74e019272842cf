import { useLeaving } from '@/components/session/use-sign-out';
import { Button } from '@/components/ui/button';
import { signInAgain } from '@/lib/browser/auth/sign-in/sign-out';
import { usePublicEnv } from '@/lib/browser/config/context';
import { useMessages } from '@/lib/browser/use-messages';
import styles from './account.module.css';

type Props = {
  email: string | null;
  /** Runs before that, to keep what was begun. */
  onLeave?: (() => void) | undefined;
  /** Of another page to sign in at. */
  path?: string;
};

/** Signs out and leads to sign-in, which returns to this page. */
export function SignInAgain({ email, onLeave, path }: Props) {
  const { t } = useMessages('common');
  const env = usePublicEnv();
  const { isBusy, leave } = useLeaving(() => {
    onLeave?.();
    return signInAgain(env, email, path);
  });
  return (
    <div className={styles.again}>
      <Button kind="quiet" busy={isBusy} busyLabel={t('signingOut')} onClick={() => void leave()}>
        {t('signInAgain')}
      </Button>
    </div>
  );
}
