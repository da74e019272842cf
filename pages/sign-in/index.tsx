import { SignInScreen } from '@/components/sign-in/sign-in-screen';
import { servePage } from '@/lib/server/page';

export const getServerSideProps = servePage('/sign-in', { appConfig: true });

export default function SignInPage() {
  return <SignInScreen />;
}
