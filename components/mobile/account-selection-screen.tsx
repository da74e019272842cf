import { AuthLayout } from '@/components/layout/auth-layout';
import { Notice } from '@/components/ui/notice';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import { useMessages } from '@/lib/browser/use-messages';
import { AccountChoice, type Selection } from './account-choice';

type Props = {
  /** Null when the app's request is missing, invalid or expired. */
  selection: Selection | null | undefined;
  /** The server could not determine whether the learner is signed in. */
  unavailable: boolean;
};

/** The learner selects the account for the mobile app (docs/product.md#screens). */
export function AccountSelectionScreen({ selection, unavailable }: Props) {
  const { t } = useMessages('mobile');
  const { brandName } = usePublicEnv();
  if (selection && !unavailable) return <AccountChoice selection={selection} />;
  return (
    <AuthLayout heading={t('heading')} lead={t('lead', { brand: brandName })}>
      <Notice tone="error">
        {unavailable ? t('common:errors.auth/session-unavailable') : t('noRequest', { brand: brandName })}
      </Notice>
    </AuthLayout>
  );
}
