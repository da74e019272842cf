import { PartnerScreen } from '@/components/partner/partner-screen';
import { servePage } from '@/lib/server/page';
import { partnerStart, type PartnerStartProps } from '@/lib/server/partner-start';

export const getServerSideProps = servePage('/partner-auth/initiate', {}, partnerStart);

export default function PartnerPage({ partner }: PartnerStartProps) {
  return <PartnerScreen partner={partner} />;
}
