import { useLeaving } from '@/components/session/use-sign-out';
import { Button } from '@/components/ui/button';
import { signInAgain } from '@/lib/browser/auth/sign-in/sign-out';
import { usePublicEnv } from '@/lib/browser/config/context';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';
import styles from './account.module.css';

type Props = {
  email: string | null;
  /** Runs before that, to keep what was begun. */
  onLeave?: (() => void) | undefined;
  /** Leads to the page that emails a sign-in link instead, which opens a page of its own. */
  byEmailLink?: boolean;
};

/** Signs out and leads to sign-in, which returns to this page. */
export function SignInAgain({ email, onLeave, byEmailLink = false }: Props) {
  const { t } = useMessages('common');
  const env = usePublicEnv();
  const { isBusy, leave } = useLeaving(() => {
    onLeave?.();
    return signInAgain(env, email, byEmailLink ? paths.emailLink : undefined);
  });
  return (
    <div className={styles.again}>
      <Button kind="quiet" busy={isBusy} busyLabel={t('signingOut')} onClick={() => void leave()}>
        {t('signInAgain')}
      </Button>
    </div>
  );
}
