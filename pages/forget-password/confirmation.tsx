import { ConfirmationScreen } from '@/components/password-reset/confirmation-screen';
import { paths } from '@/lib/shared/paths';
import { loadPasswordSetStep, createPageProps } from '@/lib/server/web';

export const getServerSideProps = createPageProps(paths.forgetPasswordConfirmation, {}, loadPasswordSetStep);

export default ConfirmationScreen;
