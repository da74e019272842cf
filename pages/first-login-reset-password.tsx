import { FirstLoginScreen } from '@/components/first-login/first-login-screen';
import { paths } from '@/lib/shared/paths';
import { createPageProps } from '@/lib/server/page-props/page';

export const getServerSideProps = createPageProps(paths.firstLoginReset);

export default FirstLoginScreen;
