import { SecondFactorScreen } from '@/components/sign-in/second-factor/second-factor-screen';
import { type AlreadySignedInProps, createPageProps, loadSecondFactor } from '@/lib/server/web';
import { paths } from '@/lib/shared/paths';

export const getServerSideProps = createPageProps(paths.secondFactor, { appConfig: true }, loadSecondFactor);

export default function SecondFactorPage({
  bounced = false,
  stepUp = false,
  hasPasskeys = false,
}: AlreadySignedInProps & { stepUp?: boolean; hasPasskeys?: boolean }) {
  return <SecondFactorScreen bounced={bounced} stepUp={stepUp} accountHasPasskeys={hasPasskeys} />;
}
