import { useTranslation } from 'next-i18next/pages';
import { AuthLayout } from '@/components/layout/auth-layout';
import { ButtonLink } from '@/components/ui/button';
import { paths } from '@/lib/paths';
import { PartnerStart, type PartnerOfLink } from './partner-start';

/** Signing in with a partner, started by the partner's own link; says so when the link leads nowhere. */
export function PartnerScreen({ partner }: { partner: PartnerOfLink | null }) {
  const { t } = useTranslation('partner');
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
