import { ConfirmationScreen } from '@/components/password-reset/confirmation-screen';
import { paths } from '@/lib/shared/paths';
import { loadPasswordSetStep } from '@/lib/server/web/steps';
import { createPageProps } from '@/lib/server/web/page';

export const getServerSideProps = createPageProps(paths.forgetPasswordConfirmation, {}, loadPasswordSetStep);

export default ConfirmationScreen;
