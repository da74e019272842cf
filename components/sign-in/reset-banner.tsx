import { useTranslation } from 'next-i18next/pages';
import { Notice } from '@/components/ui/notice';
import { PageLink } from '@/components/ui/page-link';
import { useBrowserFact } from '@/lib/browser-fact';
import { useAppConfig } from '@/lib/config/app-config-context';
import { usePublicEnv } from '@/lib/config/public-env-context';
import { readCookie } from '@/lib/cookies/browser';
import { paths } from '@/lib/paths';

/**
 * Invites people of the previous system to choose a new password: where the brand asks for it, and, while both systems
 * are in use, on devices where such a person has signed in.
 */
export function ResetBanner() {
  const { t } = useTranslation('sign-in');
  const { rolloutMode } = usePublicEnv();
  const config = useAppConfig();
  // Known to the browser alone, so that the page itself stays cacheable.
  const isLegacy = useBrowserFact(() => readCookie('legacyUserStatus') === 'legacy', false);
  const isInvited = config?.showBetaResetPasswordBanner === true || (rolloutMode === 'V3AndV2' && isLegacy);
  if (!isInvited) return null;
  return (
    <Notice tone="info">
      {t('resetBanner.text')} <PageLink href={paths.forgetPassword}>{t('resetBanner.link')}</PageLink>
    </Notice>
  );
}
