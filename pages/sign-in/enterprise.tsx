import { EnterpriseScreen } from '@/components/sign-in/enterprise-screen';
import { redirectWhenSignedIn, createPageProps } from '@/lib/server/web';

export const getServerSideProps = createPageProps('/sign-in/enterprise', { awaitsConfig: true }, redirectWhenSignedIn);

export default EnterpriseScreen;
