import { signOutEverywhere } from '@/lib/browser/auth/sign-in/sign-out';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import { useMessages } from '@/lib/browser/use-messages';
import { paths, queryNames } from '@/lib/shared/paths';
import { SignOutChoice } from './sign-out-choice';

const DONE = `${paths.signIn}?${new URLSearchParams({ [queryNames.notification]: 'ForcedSignOut' }).toString()}`;

/** For users who have lost a device or left one signed in. */
export function SignOutEverywhere() {
  const { t } = useMessages('security');
  const env = usePublicEnv();
  const signOutHere = async () => {
    const ended = await signOutEverywhere(env);
    if (ended) window.location.replace(DONE);
    return ended;
  };
  return (
    <SignOutChoice
      text={t('everywhere.text')}
      button={t('everywhere.button')}
      question={t('everywhere.ask')}
      onSignOut={signOutHere}
    />
  );
}
