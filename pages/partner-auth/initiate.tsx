import { PartnerScreen } from '@/components/partner/partner-screen';
import { createPageProps } from '@/lib/server/web/page';
import { loadPartnerStart, type PartnerStartProps } from '@/lib/server/web/partner-start';

export const getServerSideProps = createPageProps('/partner-auth/initiate', {}, loadPartnerStart);

export default function PartnerPage({ partner }: PartnerStartProps) {
  return <PartnerScreen partner={partner} />;
}
