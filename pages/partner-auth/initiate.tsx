import { PartnerScreen } from '@/components/partner/partner-screen';
import { createPageProps, loadPartnerStart, type PartnerStartProps } from '@/lib/server/web';

export const getServerSideProps = createPageProps('/partner-auth/initiate', {}, loadPartnerStart);

export default function PartnerPage({ partner }: PartnerStartProps) {
  return <PartnerScreen partner={partner} />;
}
