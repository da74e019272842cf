import { AuthLayout } from '@/components/layout/auth-layout';
import { ButtonLink } from '@/components/ui/button';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';
import { PartnerStart, type PartnerOfLink } from './partner-start';

/** Partner sign-in, started by the partner's link; shows an error if the link is invalid. */
export function PartnerScreen({ partner }: { partner: PartnerOfLink | null }) {
  const { t } = useMessages('partner');
  if (partner) {
    return (
      <AuthLayout heading={t('heading', { partner: partner.name })} lead={t('lead')}>
        <PartnerStart partner={partner} />
      </AuthLayout>
    );
  }
  return (
    <AuthLayout heading={t('unknownHeading')} lead={t('unknownLead')}>
      <ButtonLink kind="primary" href={paths.signIn}>
        {t('signIn')}
      </ButtonLink>
    </AuthLayout>
  );
}
