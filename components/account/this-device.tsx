import { useTranslation } from 'next-i18next/pages';
import { clearDevice } from '@/lib/auth/shared-computer';
import { signOut } from '@/lib/auth/sign-out';
import { usePublicEnv } from '@/lib/config/public-env-context';
import { paths } from '@/lib/paths';
import { LeaveSection } from './leave-section';

/** For who leaves a computer that is not theirs. */
export function ThisDevice() {
  const { t } = useTranslation('security');
  const env = usePublicEnv();
  const leave = async () => {
    if (!(await signOut(env))) return false;
    clearDevice(env);
    window.location.replace(paths.signIn);
    return true;
  };
  return (
    <LeaveSection
      id="security-device"
      heading={t('device.heading')}
      text={t('device.text')}
      button={t('device.button')}
      onLeave={leave}
    />
  );
}
