import { EnterpriseScreen } from '@/components/sign-in/enterprise-screen';
import { redirectWhenSignedIn, type AlreadySignedInProps, createPageProps } from '@/lib/server/web';

export const getServerSideProps = createPageProps('/sign-in/enterprise', { appConfig: true }, redirectWhenSignedIn);

export default function EnterprisePage({ bounced = false }: AlreadySignedInProps) {
  return <EnterpriseScreen bounced={bounced} />;
}
