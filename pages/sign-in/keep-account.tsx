import { KeepAccountScreen } from '@/components/account/keep-account-screen';
import { loadKeepAccount, createPageProps, requireSessionPage } from '@/lib/server/web';
import { paths } from '@/lib/shared/paths';

export const getServerSideProps = createPageProps(
  paths.keepAccount,
  { awaitsConfig: true },
  requireSessionPage('keep-account', loadKeepAccount),
);

export default KeepAccountScreen;
