import Link from 'next/link';
import { useTranslation } from 'next-i18next/pages';
import { useAppConfig } from '@/lib/config/app-config-context';
import { callbackPolicyOf } from '@/lib/config/public-env';
import { usePublicEnv } from '@/lib/config/public-env-context';
import { paths } from '@/lib/paths';
import styles from './sign-in.module.css';

/** The doors to the other screens, and going on without signing in, where the brand allows them. */
export function OtherWays() {
  const { t } = useTranslation('sign-in');
  const env = usePublicEnv();
  const config = useAppConfig();
  const byOrganisation = config?.enabledIdentities?.includes('enterprise') === true;
  const without = config?.showContinueWithoutLogin === true;
  if (!byOrganisation && !without) return null;
  return (
    <div className={styles.otherWays}>
      {byOrganisation && (
        <Link href={paths.enterprise} prefetch={false}>
          {t('enterprise.link')}
        </Link>
      )}
      {without && (
        <a href={config.continueWithoutLoginUrl ?? callbackPolicyOf(env).dashboardUrl}>{t('continueWithout')}</a>
      )}
    </div>
  );
}
