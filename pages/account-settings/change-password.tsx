import { ChangePasswordScreen } from '@/components/account/change-password-screen';
import { paths } from '@/lib/shared/paths';
import { createPageProps, loadChangePassword, requireSessionPage } from '@/lib/server/web';

export const getServerSideProps = createPageProps(
  paths.changePassword,
  {},
  requireSessionPage('change-password', loadChangePassword),
);

export default ChangePasswordScreen;
