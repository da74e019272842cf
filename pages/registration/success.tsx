import { SuccessScreen } from '@/components/registration/success-screen';
import { paths } from '@/lib/shared/paths';
import { loadSuccessStep, createPageProps } from '@/lib/server/web';

export const getServerSideProps = createPageProps(paths.registrationSuccess, { awaitsConfig: true }, loadSuccessStep);

export default SuccessScreen;
