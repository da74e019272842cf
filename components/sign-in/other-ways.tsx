import Link from 'next/link';
import { useTranslation } from 'next-i18next/pages';
import { useAppConfig } from '@/lib/config/app-config-context';
import { usePublicEnv } from '@/lib/config/public-env-context';
import { callbackPolicyOf } from '@/lib/config/public-env';
import { paths } from '@/lib/paths';
import styles from './sign-in.module.css';

/** Registration, and going on without signing in where the brand allows it. */
export function OtherWays() {
  const { t } = useTranslation('sign-in');
  const env = usePublicEnv();
  const config = useAppConfig();
  return (
    <div className={styles.otherWays}>
      <p>
        {t('newHere')}{' '}
        <Link href={paths.registration} prefetch={false}>
          {t('createAccount')}
        </Link>
      </p>
      {config?.showContinueWithoutLogin === true && (
        <a href={config.continueWithoutLoginUrl ?? callbackPolicyOf(env).dashboardUrl}>{t('continueWithout')}</a>
      )}
    </div>
  );
}
