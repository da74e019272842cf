import { EmptyShell } from '@/components/layout/empty-shell';
import { createPageProps } from '@/lib/server/page-props/page';

export const getServerSideProps = createPageProps('/app-shell');

export default EmptyShell;
