import { ConfirmationScreen } from '@/components/password-reset/confirmation-screen';
import { paths } from '@/lib/paths';
import { passwordSetStep } from '@/lib/server/accounts/steps';
import { servePage } from '@/lib/server/page';

export const getServerSideProps = servePage(paths.forgetPasswordConfirmation, {}, passwordSetStep);

export default ConfirmationScreen;
