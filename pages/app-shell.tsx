import { EmptyShell } from '@/components/layout/empty-shell';
import { servePage } from '@/lib/server/page';

export const getServerSideProps = servePage('/app-shell');

export default EmptyShell;
