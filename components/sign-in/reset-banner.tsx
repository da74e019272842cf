import { Notice } from '@/components/ui/notice';
import { PageLink } from '@/components/ui/page-link';
import { useClientValue } from '@/lib/browser/use-client-value';
import { useAppConfig } from '@/lib/browser/config/app-config-context';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import { readCookie } from '@/lib/browser/cookies';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';

/**
 * Invites users of the previous system to choose a new password: if the brand enables it, and, while both systems are
 * in use, on devices where such a user has signed in.
 */
export function ResetBanner() {
  const { t } = useMessages('sign-in');
  const { rolloutMode } = usePublicEnv();
  const config = useAppConfig();
  // Read in the browser only, so that the page itself stays cacheable.
  const isLegacy = useClientValue(() => readCookie('legacyUserStatus') === 'legacy', false);
  const isInvited = config?.showBetaResetPasswordBanner === true || (rolloutMode === 'V3AndV2' && isLegacy);
  if (!isInvited) return null;
  return (
    <Notice tone="info">
      {t('resetBanner.text')} <PageLink href={paths.forgetPassword}>{t('resetBanner.link')}</PageLink>
    </Notice>
  );
}
