import { useLeaving } from '@/components/session/use-sign-out';
import { Button } from '@/components/ui/button';
import { signInAgain } from '@/lib/browser/auth/sign-in/sign-out';
import { usePublicEnv } from '@/lib/browser/config/context';
import { useMessages } from '@/lib/browser/use-messages';
import styles from './account.module.css';

/** Signs out and leads to sign-in, which returns to this page. @param onLeave runs before that, to keep what was begun */
export function SignInAgain({ email, onLeave }: { email: string | null; onLeave?: (() => void) | undefined }) {
  const { t } = useMessages('common');
  const env = usePublicEnv();
  const { isBusy, leave } = useLeaving(() => {
    onLeave?.();
    return signInAgain(env, email);
  });
  return (
    <div className={styles.again}>
      <Button kind="quiet" busy={isBusy} busyLabel={t('signingOut')} onClick={() => void leave()}>
        {t('signInAgain')}
      </Button>
    </div>
  );
}
