import { ChangePasswordScreen } from '@/components/account/change-password-screen';
import { paths } from '@/lib/paths';
import { servePage } from '@/lib/server/page';
import { sessionPage } from '@/lib/server/session-page';

export const getServerSideProps = servePage(
  paths.changePassword,
  {},
  sessionPage('change-password', ({ status: { email } }) => Promise.resolve({ props: { email } })),
);

export default function ChangePasswordPage({ email }: { email?: string | null }) {
  return <ChangePasswordScreen email={email ?? ''} />;
}
