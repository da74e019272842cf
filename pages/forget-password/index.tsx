import { RequestScreen } from '@/components/password-reset/request-screen';
import { paths } from '@/lib/paths';
import { servePage } from '@/lib/server/page';

export const getServerSideProps = servePage(paths.forgetPassword);

export default RequestScreen;
