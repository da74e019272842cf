import { FirstLoginScreen } from '@/components/first-login/first-login-screen';
import { paths } from '@/lib/paths';
import { servePage } from '@/lib/server/page';

export const getServerSideProps = servePage(paths.firstLoginReset);

export default FirstLoginScreen;
