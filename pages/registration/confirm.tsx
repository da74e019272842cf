import { ConfirmScreen } from '@/components/registration/confirm-screen';
import { paths } from '@/lib/shared/paths';
import { loadConfirmationStep, createPageProps } from '@/lib/server/web';

export const getServerSideProps = createPageProps(
  paths.registrationConfirm,
  { awaitsConfig: true },
  loadConfirmationStep,
);

export default ConfirmScreen;
