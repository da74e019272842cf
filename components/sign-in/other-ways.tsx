import { useTranslation } from 'next-i18next/pages';
import { useAppConfig } from '@/lib/config/app-config-context';
import { callbackPolicyOf } from '@/lib/config/public-env';
import { usePublicEnv } from '@/lib/config/public-env-context';
import styles from './sign-in.module.css';

/** Going on without signing in, where the brand allows it. */
export function OtherWays() {
  const { t } = useTranslation('sign-in');
  const env = usePublicEnv();
  const config = useAppConfig();
  if (config?.showContinueWithoutLogin !== true) return null;
  return (
    <div className={styles.otherWays}>
      <a href={config.continueWithoutLoginUrl ?? callbackPolicyOf(env).dashboardUrl}>{t('continueWithout')}</a>
    </div>
  );
}
