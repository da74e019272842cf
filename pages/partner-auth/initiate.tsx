import { PartnerScreen } from '@/components/partner/partner-screen';
import { createPageProps, loadPartnerStart } from '@/lib/server/web';

export const getServerSideProps = createPageProps('/partner-auth/initiate', {}, loadPartnerStart);

export default PartnerScreen;
