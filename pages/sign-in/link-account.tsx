import { LinkAccountScreen } from '@/components/sign-in/link-account-screen';
import { createPageProps } from '@/lib/server/web';

export const getServerSideProps = createPageProps('/sign-in/link-account', { awaitsConfig: true });

export default LinkAccountScreen;
