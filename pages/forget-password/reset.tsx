import { ResetScreen } from '@/components/password-reset/reset-screen';
import { paths } from '@/lib/shared/paths';
import { loadResetStep, createPageProps } from '@/lib/server/web';

export const getServerSideProps = createPageProps(paths.forgetPasswordReset, {}, loadResetStep);

export default ResetScreen;
