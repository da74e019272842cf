import { EnterpriseScreen } from '@/components/sign-in/enterprise/enterprise-screen';
import { alreadySignedIn, type AlreadySignedInProps } from '@/lib/server/already-signed-in';
import { servePage } from '@/lib/server/page';

export const getServerSideProps = servePage('/sign-in/enterprise', { appConfig: true }, alreadySignedIn);

export default function EnterprisePage({ bounced = false }: AlreadySignedInProps) {
  return <EnterpriseScreen bounced={bounced} />;
}
