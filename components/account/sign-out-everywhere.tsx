import { useTranslation } from 'next-i18next/pages';
import { signOutEverywhere } from '@/lib/auth/sign-out';
import { usePublicEnv } from '@/lib/config/public-env-context';
import { paths, queryNames } from '@/lib/paths';
import { LeaveSection } from './leave-section';

const DONE = `${paths.signIn}?${new URLSearchParams({ [queryNames.notification]: 'ForcedSignOut' }).toString()}`;

/** For who has lost a device, or left one signed in. */
export function SignOutEverywhere() {
  const { t } = useTranslation('security');
  const env = usePublicEnv();
  const leave = async () => {
    const ended = await signOutEverywhere(env);
    if (ended) window.location.replace(DONE);
    return ended;
  };
  return (
    <LeaveSection
      id="security-everywhere"
      heading={t('everywhere.heading')}
      text={t('everywhere.text')}
      button={t('everywhere.button')}
      onLeave={leave}
    />
  );
}
