import { SignInScreen } from '@/components/sign-in/sign-in-screen';
import { alreadySignedIn, type AlreadySignedInProps } from '@/lib/server/already-signed-in';
import { servePage } from '@/lib/server/page';

export const getServerSideProps = servePage('/sign-in', { appConfig: true }, alreadySignedIn);

export default function SignInPage({ bounced = false }: AlreadySignedInProps) {
  return <SignInScreen bounced={bounced} />;
}
