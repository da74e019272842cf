import { ActionScreen } from '@/components/email-action/action-screen';
import { paths } from '@/lib/paths';
import { actionStep } from '@/lib/server/accounts/action-step';
import { servePage } from '@/lib/server/page';

export const getServerSideProps = servePage(paths.actions, {}, actionStep);

export default ActionScreen;
