import { RegistrationScreen } from '@/components/registration/registration-screen';
import { RedirectLoopScreen } from '@/components/session/lazy-redirect-loop';
import { redirectWhenSignedIn, type AlreadySignedInProps, createPageProps } from '@/lib/server/web';
import { paths } from '@/lib/shared/paths';

export const getServerSideProps = createPageProps(paths.registration, { appConfig: true }, redirectWhenSignedIn);

export default function RegistrationPage({ bounced = false }: AlreadySignedInProps) {
  return bounced ? <RedirectLoopScreen /> : <RegistrationScreen />;
}
