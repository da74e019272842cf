import { SecurityScreen } from '@/components/account/security-screen';
import type { Activity } from '@/lib/shared/account/activity';
import type {
  AccountSecurity,
  DeletionState,
  DeviceSession,
  SecondFactor,
  SignInToCheck,
} from '@/lib/shared/account/security';
import type { PasskeyList } from '@/lib/shared/account/passkeys';
import { paths } from '@/lib/shared/paths';
import { createPageProps, loadSecurityPage, requireSessionPage } from '@/lib/server/web';

export const getServerSideProps = createPageProps(paths.security, {}, requireSessionPage('security', loadSecurityPage));

type Props = {
  account?: AccountSecurity | null;
  activity?: Activity | 'unavailable' | null;
  devices?: DeviceSession[] | 'unavailable' | null;
  deletion?: DeletionState;
  signIns?: SignInToCheck[];
  passkeys?: PasskeyList | 'unavailable' | null;
  secondFactor?: SecondFactor | 'unavailable' | null;
};

export default function SecurityPage(props: Props) {
  const {
    account = null,
    activity = null,
    devices = null,
    deletion = null,
    signIns = [],
    passkeys = null,
    secondFactor = null,
  } = props;
  const sections = { activity, devices, deletion, signIns, passkeys, secondFactor };
  return <SecurityScreen account={account} {...sections} />;
}
