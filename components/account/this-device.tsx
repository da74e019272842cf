import { signOutAndClearDevice } from '@/lib/browser/auth/sign-in/sign-out';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';
import { SignOutChoice } from './sign-out-choice';

/** For users who leave a computer that is not theirs. */
export function ThisDevice() {
  const { t } = useMessages('security');
  const env = usePublicEnv();
  const signOutHere = async () => {
    const done = await signOutAndClearDevice(env);
    if (done) window.location.replace(paths.signIn);
    return done;
  };
  return <SignOutChoice text={t('device.text')} button={t('device.button')} onSignOut={signOutHere} />;
}
