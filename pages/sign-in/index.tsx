import { SignInScreen } from '@/components/sign-in/sign-in-screen';
import { redirectWhenSignedIn, type AlreadySignedInProps, createPageProps } from '@/lib/server/web';

export const getServerSideProps = createPageProps('/sign-in', { appConfig: true }, redirectWhenSignedIn);

export default function SignInPage({ bounced = false }: AlreadySignedInProps) {
  return <SignInScreen bounced={bounced} />;
}
