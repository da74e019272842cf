import { ActionScreen } from '@/components/email-action/action-screen';
import { paths } from '@/lib/shared/paths';
import { loadActionStep } from '@/lib/server/page-props/action-step';
import { createPageProps } from '@/lib/server/page-props/page';

export const getServerSideProps = createPageProps(paths.actions, {}, loadActionStep);

export default ActionScreen;
