import { RegistrationScreen } from '@/components/registration/registration-screen';
import { BouncedScreen } from '@/components/layout/bounced-screen';
import { alreadySignedIn, type AlreadySignedInProps } from '@/lib/server/already-signed-in';
import { servePage } from '@/lib/server/page';
import { paths } from '@/lib/paths';

export const getServerSideProps = servePage(paths.registration, { appConfig: true }, alreadySignedIn);

export default function RegistrationPage({ bounced = false }: AlreadySignedInProps) {
  return bounced ? <BouncedScreen /> : <RegistrationScreen />;
}
