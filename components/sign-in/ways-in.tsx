import { useTranslation } from 'next-i18next/pages';
import { Notice } from '@/components/ui/notice';
import { useAppConfig } from '@/lib/config/app-config-context';
import { PasswordForm } from './password-form';

/** The ways in that this origin allows; all of them where it does not say. */
export function WaysIn() {
  const { t } = useTranslation('sign-in');
  const enabled = useAppConfig()?.enabledIdentities;
  if (enabled === undefined || enabled.includes('password')) return <PasswordForm />;
  return <Notice tone="info">{t('noWayIn')}</Notice>;
}
