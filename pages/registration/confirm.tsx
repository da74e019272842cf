import { ConfirmScreen } from '@/components/registration/confirm-screen';
import { paths } from '@/lib/shared/paths';
import { loadConfirmationStep } from '@/lib/server/web/steps';
import { createPageProps } from '@/lib/server/web/page';

export const getServerSideProps = createPageProps(paths.registrationConfirm, { appConfig: true }, loadConfirmationStep);

export default ConfirmScreen;
