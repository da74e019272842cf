import { SecondFactorScreen } from '@/components/sign-in/second-factor/second-factor-screen';
import { createPageProps, loadSecondFactor } from '@/lib/server/web';
import { paths } from '@/lib/shared/paths';

export const getServerSideProps = createPageProps(paths.secondFactor, { awaitsConfig: true }, loadSecondFactor);

export default SecondFactorScreen;
