import { LinkAccountScreen } from '@/components/sign-in/link-account/link-account-screen';
import { servePage } from '@/lib/server/page';

export const getServerSideProps = servePage('/sign-in/link-account', { appConfig: true });

export default LinkAccountScreen;
