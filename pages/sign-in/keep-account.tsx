import { KeepAccountScreen } from '@/components/account/keep-account-screen';
import { loadKeepAccount } from '@/lib/server/page-props/keep-account';
import { createPageProps } from '@/lib/server/page-props/page';
import { requireSessionPage } from '@/lib/server/page-props/session-page';
import { paths } from '@/lib/shared/paths';

export const getServerSideProps = createPageProps(
  paths.keepAccount,
  { appConfig: true },
  requireSessionPage('keep-account', loadKeepAccount),
);

export default function KeepAccountPage({ effectiveAt = null }: { effectiveAt?: string | null }) {
  return <KeepAccountScreen effectiveAt={effectiveAt} />;
}
