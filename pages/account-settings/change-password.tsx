import { ChangePasswordScreen } from '@/components/account/change-password-screen';
import { paths } from '@/lib/shared/paths';
import { createPageProps, requireSessionPage } from '@/lib/server/web';

export const getServerSideProps = createPageProps(
  paths.changePassword,
  {},
  requireSessionPage('change-password', ({ status }) => Promise.resolve({ props: { email: status.email ?? '' } })),
);

export default ChangePasswordScreen;
