import { useTranslation } from 'next-i18next/pages';
import { clearDevice } from '@/lib/auth/shared-computer';
import { signOut } from '@/lib/auth/sign-out';
import { usePublicEnv } from '@/lib/config/public-env-context';
import { paths } from '@/lib/paths';
import { LeaveSection } from './leave-section';

/** For who leaves a computer that is not theirs. */
export function ThisDevice() {
  const { t } = useTranslation('dashboard');
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
      heading={t('security.device.heading')}
      text={t('security.device.text')}
      button={t('security.device.button')}
      onLeave={leave}
    />
  );
}
