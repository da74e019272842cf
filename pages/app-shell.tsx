import { EmptyShell } from '@/components/session/signed-in-shell';
import { createPageProps } from '@/lib/server/web';

export const getServerSideProps = createPageProps('/app-shell');

export default EmptyShell;
