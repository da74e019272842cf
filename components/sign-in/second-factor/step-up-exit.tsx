import { useLeaving } from '@/components/session/use-sign-out';
import { Button } from '@/components/ui/button';
import { signInAgain } from '@/lib/browser/auth/sign-in/sign-out';
import { usePublicEnv } from '@/lib/browser/config/context';
import { useMessages } from '@/lib/browser/use-messages';

/**
 * The way out of a step-up, by a new sign-in, which has all ways to go on without the app. Only after a sign-out: with the session, /sign-in
 * leads back to the step-up.
 */
export default function StepUpExit({ kind }: { kind: 'primary' | 'quiet' }) {
  const { t } = useMessages('common');
  const env = usePublicEnv();
  const { isBusy, leave } = useLeaving(() => signInAgain(env, null));
  return (
    <Button kind={kind} busy={isBusy} busyLabel={t('signingOut')} onClick={() => void leave()}>
      {t('signInAgain')}
    </Button>
  );
}
