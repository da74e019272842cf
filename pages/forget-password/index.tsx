import { RequestScreen } from '@/components/password-reset/request-screen';
import { paths } from '@/lib/shared/paths';
import { createPageProps } from '@/lib/server/web';

export const getServerSideProps = createPageProps(paths.forgetPassword);

export default RequestScreen;
