import { useTranslation } from 'next-i18next/pages';
import { PageLink } from '@/components/ui/page-link';
import { useAppConfig } from '@/lib/config/app-config-context';
import { usePublicEnv } from '@/lib/config/public-env-context';
import { paths } from '@/lib/paths';
import styles from './sign-in.module.css';

/** The doors to the other screens, and going on without signing in, where the brand allows them. */
export function OtherWays() {
  const { t } = useTranslation('sign-in');
  const env = usePublicEnv();
  const config = useAppConfig();
  const byOrganisation = config?.enabledIdentities?.includes('enterprise') === true;
  // A link opens the same accounts that a password does.
  const byMail = config?.enabledIdentities?.includes('password') ?? true;
  return (
    <div className={styles.otherWays}>
      {byMail && <PageLink href={paths.emailLink}>{t('emailLink')}</PageLink>}
      {byOrganisation && <PageLink href={paths.enterprise}>{t('enterprise')}</PageLink>}
      <p>
        {t('newHere')} <PageLink href={paths.registration}>{t('createAccount')}</PageLink>
      </p>
      {config?.showContinueWithoutLogin === true && (
        <a href={config.continueWithoutLoginUrl ?? `${env.platformOrigin}/`}>{t('continueWithout')}</a>
      )}
    </div>
  );
}
