import { SuccessScreen } from '@/components/registration/success-screen';
import { paths } from '@/lib/shared/paths';
import { loadSuccessStep } from '@/lib/server/web/steps';
import { createPageProps } from '@/lib/server/web/page';

export const getServerSideProps = createPageProps(paths.registrationSuccess, { appConfig: true }, loadSuccessStep);

export default SuccessScreen;
