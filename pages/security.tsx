import { SecurityScreen } from '@/components/account/security-screen';
import type { AccountSecurity } from '@/lib/shared/account/security';
import { paths } from '@/lib/shared/paths';
import { getAccountSecurity } from '@/lib/server/accounts/account-security';
import { createPageProps } from '@/lib/server/page-props/page';
import { requireSessionPage } from '@/lib/server/page-props/session-page';

export const getServerSideProps = createPageProps(
  paths.security,
  {},
  requireSessionPage('security', getAccountSecurity),
);

export default function SecurityPage({ account = null }: { account?: AccountSecurity | null }) {
  return <SecurityScreen account={account} />;
}
