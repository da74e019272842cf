import { ChangePasswordScreen } from '@/components/account/change-password-screen';
import { paths } from '@/lib/shared/paths';
import { createPageProps, requireSessionPage } from '@/lib/server/web';

export const getServerSideProps = createPageProps(
  paths.changePassword,
  {},
  requireSessionPage('change-password', ({ status: { email } }) => Promise.resolve({ props: { email } })),
);

export default function ChangePasswordPage({ email }: { email?: string | null }) {
  return <ChangePasswordScreen email={email ?? ''} />;
}
