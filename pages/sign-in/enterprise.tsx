import { EnterpriseScreen } from '@/components/sign-in/enterprise/enterprise-screen';
import { redirectWhenSignedIn, type AlreadySignedInProps } from '@/lib/server/web/already-signed-in';
import { createPageProps } from '@/lib/server/web/page';

export const getServerSideProps = createPageProps('/sign-in/enterprise', { appConfig: true }, redirectWhenSignedIn);

export default function EnterprisePage({ bounced = false }: AlreadySignedInProps) {
  return <EnterpriseScreen bounced={bounced} />;
}
