import { SecurityScreen } from '@/components/account/security-screen';
import { paths } from '@/lib/shared/paths';
import { createPageProps, loadSecurityPage, requireSessionPage } from '@/lib/server/web';

export const getServerSideProps = createPageProps(paths.security, {}, requireSessionPage('security', loadSecurityPage));

export default SecurityScreen;
