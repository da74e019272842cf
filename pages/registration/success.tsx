import { SuccessScreen } from '@/components/registration/success-screen';
import { paths } from '@/lib/paths';
import { successStep } from '@/lib/server/accounts/steps';
import { servePage } from '@/lib/server/page';

export const getServerSideProps = servePage(paths.registrationSuccess, { appConfig: true }, successStep);

export default SuccessScreen;
