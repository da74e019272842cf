import { SignInScreen } from '@/components/sign-in/sign-in-screen';
import { redirectWhenSignedIn, createPageProps } from '@/lib/server/web';

export const getServerSideProps = createPageProps('/sign-in', { awaitsConfig: true }, redirectWhenSignedIn);

export default SignInScreen;
