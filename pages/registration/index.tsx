import { RegistrationScreen } from '@/components/registration/registration-screen';
import { redirectWhenSignedIn, createPageProps } from '@/lib/server/web';
import { paths } from '@/lib/shared/paths';

export const getServerSideProps = createPageProps(paths.registration, { awaitsConfig: true }, redirectWhenSignedIn);

export default RegistrationScreen;
