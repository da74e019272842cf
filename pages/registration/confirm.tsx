import { ConfirmScreen } from '@/components/registration/confirm-screen';
import { paths } from '@/lib/paths';
import { confirmationStep } from '@/lib/server/accounts/steps';
import { servePage } from '@/lib/server/page';

export const getServerSideProps = servePage(paths.registrationConfirm, { appConfig: true }, confirmationStep);

export default ConfirmScreen;
