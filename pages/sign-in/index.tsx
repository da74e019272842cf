import { SignInScreen } from '@/components/sign-in/sign-in-screen';
import { redirectWhenSignedIn, type AlreadySignedInProps } from '@/lib/server/web/already-signed-in';
import { createPageProps } from '@/lib/server/web/page';

export const getServerSideProps = createPageProps('/sign-in', { appConfig: true }, redirectWhenSignedIn);

export default function SignInPage({ bounced = false }: AlreadySignedInProps) {
  return <SignInScreen bounced={bounced} />;
}
