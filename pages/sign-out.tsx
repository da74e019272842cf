import { SignOutScreen } from '@/components/sign-out/sign-out-screen';
import { paths } from '@/lib/shared/paths';
import { createPageProps } from '@/lib/server/web/page';
import { loadSignOut } from '@/lib/server/web/sign-out';

export const getServerSideProps = createPageProps(paths.signOut, { appConfig: true }, loadSignOut);

export default SignOutScreen;
