import { SecurityScreen } from '@/components/account/security-screen';
import type { AccountSecurity } from '@/lib/account/security';
import { paths } from '@/lib/paths';
import { accountSecurity } from '@/lib/server/account-security';
import { servePage } from '@/lib/server/page';
import { sessionPage } from '@/lib/server/session-page';

export const getServerSideProps = servePage(paths.security, {}, sessionPage('security', accountSecurity));

export default function SecurityPage({ account = null }: { account?: AccountSecurity | null }) {
  return <SecurityScreen account={account} />;
}
