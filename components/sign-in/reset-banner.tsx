import { useTranslation } from 'next-i18next/pages';
import { Notice } from '@/components/ui/notice';
import { useAppConfig } from '@/lib/config/app-config-context';

/** Tells people of the old platform what has changed, where the brand asks for it. */
export function ResetBanner() {
  const { t } = useTranslation('sign-in');
  const config = useAppConfig();
  if (config?.showBetaResetPasswordBanner !== true) return null;
  return <Notice tone="info">{t('resetBanner')}</Notice>;
}
