import { useTranslation } from 'next-i18next/pages';
import { AuthLayout } from '@/components/layout/auth-layout';
import { Notice } from '@/components/ui/notice';
import { usePublicEnv } from '@/lib/config/public-env-context';
import { AccountChoice, type Selection } from './account-choice';

type Props = {
  /** Null when the app's request is missing, wrong or too old. */
  selection: Selection | null | undefined;
  /** Whether the learner is signed in cannot be told now. */
  unavailable: boolean;
};

/** The learner decides with which account the mobile app goes on (product decisions, 6). */
export function AccountSelectionScreen({ selection, unavailable }: Props) {
  const { t } = useTranslation('mobile');
  const { brandName } = usePublicEnv();
  return (
    <AuthLayout heading={t('heading')} lead={t('lead', { brand: brandName })}>
      {unavailable ? (
        <Notice tone="error">{t('common:errors.auth/session-unavailable')}</Notice>
      ) : selection ? (
        <AccountChoice selection={selection} />
      ) : (
        <Notice tone="error">{t('noRequest', { brand: brandName })}</Notice>
      )}
    </AuthLayout>
  );
}
