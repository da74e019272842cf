import { FirstLoginScreen } from '@/components/first-login/first-login-screen';
import { paths } from '@/lib/shared/paths';
import { loadFirstLogin, createPageProps } from '@/lib/server/web';

export const getServerSideProps = createPageProps(paths.firstLoginReset, {}, loadFirstLogin);

export default FirstLoginScreen;
