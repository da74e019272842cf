import { PageLink } from '@/components/ui/page-link';
import { useAppConfig } from '@/lib/browser/config/app-config-context';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';
import styles from './sign-in.module.css';

/** Links to the other screens, and the link to continue without signing in, if the brand allows them. */
export function OtherMethods() {
  const { t } = useMessages('sign-in');
  const env = usePublicEnv();
  const config = useAppConfig();
  const byOrganization = config?.enabledIdentities?.includes('enterprise') === true;
  // An email link signs in to the same accounts as a password.
  const byMail = config?.enabledIdentities?.includes('password') ?? true;
  return (
    <div className={styles.otherWays}>
      {byMail && <PageLink href={paths.emailLink}>{t('emailLink')}</PageLink>}
      {byOrganization && <PageLink href={paths.enterprise}>{t('enterprise')}</PageLink>}
      <p>
        {t('newHere')} <PageLink href={paths.registration}>{t('createAccount')}</PageLink>
      </p>
      {config?.showContinueWithoutLogin === true && (
        <a href={config.continueWithoutLoginUrl ?? `${env.platformOrigin}/`}>{t('continueWithout')}</a>
      )}
    </div>
  );
}
