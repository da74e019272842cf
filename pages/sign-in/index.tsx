import { SignInScreen } from '@/components/sign-in/sign-in-screen';
import { redirectWhenSignedIn, type AlreadySignedInProps } from '@/lib/server/page-props/already-signed-in';
import { createPageProps } from '@/lib/server/page-props/page';

export const getServerSideProps = createPageProps('/sign-in', { appConfig: true }, redirectWhenSignedIn);

export default function SignInPage({ bounced = false }: AlreadySignedInProps) {
  return <SignInScreen bounced={bounced} />;
}
