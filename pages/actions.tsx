import { ActionScreen } from '@/components/email-action/action-screen';
import { paths } from '@/lib/shared/paths';
import { loadActionStep } from '@/lib/server/web/action-step';
import { createPageProps } from '@/lib/server/web/page';

export const getServerSideProps = createPageProps(paths.actions, {}, loadActionStep);

export default ActionScreen;
