import Link from 'next/link';
import { useTranslation } from 'next-i18next/pages';
import { Notice } from '@/components/ui/notice';
import { useAppConfig } from '@/lib/config/app-config-context';
import { paths } from '@/lib/paths';

/** Invites people of the old platform to choose a new password, where the brand asks for it. */
export function ResetBanner() {
  const { t } = useTranslation('sign-in');
  const config = useAppConfig();
  if (config?.showBetaResetPasswordBanner !== true) return null;
  return (
    <Notice tone="info">
      {t('resetBanner.text')}{' '}
      <Link href={paths.forgetPassword} prefetch={false}>
        {t('resetBanner.link')}
      </Link>
    </Notice>
  );
}
