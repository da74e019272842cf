import { SignOutScreen } from '@/components/sign-out/sign-out-screen';
import { paths } from '@/lib/shared/paths';
import { createPageProps, loadSignOut } from '@/lib/server/web';

export const getServerSideProps = createPageProps(paths.signOut, {}, loadSignOut);

export default SignOutScreen;
