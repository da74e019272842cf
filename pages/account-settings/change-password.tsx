import { ChangePasswordScreen } from '@/components/account/change-password-screen';
import { paths } from '@/lib/shared/paths';
import { createPageProps } from '@/lib/server/web/page';
import { requireSessionPage } from '@/lib/server/web/session-page';

export const getServerSideProps = createPageProps(
  paths.changePassword,
  {},
  requireSessionPage('change-password', ({ status: { email } }) => Promise.resolve({ props: { email } })),
);

export default function ChangePasswordPage({ email }: { email?: string | null }) {
  return <ChangePasswordScreen email={email ?? ''} />;
}
