import { SetUpScreen } from '@/components/account/set-up-screen';
import { OfferedPasskey } from '@/components/sign-in/second-factor/other-ways';
import type { SetUpReason, AccountSecurity } from '@/lib/shared/account/security';
import { createPageProps, loadSetUp } from '@/lib/server/web';
import { paths } from '@/lib/shared/paths';

export const getServerSideProps = createPageProps(paths.setUpSecondFactor, { awaitsConfig: true }, loadSetUp);

export default function SetUpSecondFactorPage(props: { reason: SetUpReason; account: AccountSecurity | null }) {
  return <SetUpScreen {...props} passkey={<OfferedPasskey />} />;
}
