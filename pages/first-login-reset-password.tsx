import { FirstLoginScreen } from '@/components/first-login/first-login-screen';
import { paths } from '@/lib/shared/paths';
import { loadFirstLogin } from '@/lib/server/web/first-login';
import { createPageProps } from '@/lib/server/web/page';

export const getServerSideProps = createPageProps(paths.firstLoginReset, {}, loadFirstLogin);

export default FirstLoginScreen;
