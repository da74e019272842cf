import { ActionScreen } from '@/components/email-action/action-screen';
import { paths } from '@/lib/shared/paths';
import { loadActionStep, createPageProps } from '@/lib/server/web';

export const getServerSideProps = createPageProps(paths.actions, {}, loadActionStep);

export default ActionScreen;
