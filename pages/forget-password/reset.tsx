import { ResetScreen } from '@/components/password-reset/reset-screen';
import { paths } from '@/lib/shared/paths';
import { loadResetStep } from '@/lib/server/web/steps';
import { createPageProps } from '@/lib/server/web/page';

export const getServerSideProps = createPageProps(paths.forgetPasswordReset, {}, loadResetStep);

export default ResetScreen;
