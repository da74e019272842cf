import { SignInScreen } from '@/components/sign-in/sign-in-screen';
import { alreadySignedIn } from '@/lib/server/already-signed-in';
import { servePage } from '@/lib/server/page';

export const getServerSideProps = servePage('/sign-in', { appConfig: true }, alreadySignedIn);

export default function SignInPage() {
  return <SignInScreen />;
}
