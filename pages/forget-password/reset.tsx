import { ResetScreen } from '@/components/password-reset/reset-screen';
import { paths } from '@/lib/paths';
import { resetStep } from '@/lib/server/accounts/steps';
import { servePage } from '@/lib/server/page';

export const getServerSideProps = servePage(paths.forgetPasswordReset, {}, resetStep);

export default ResetScreen;
