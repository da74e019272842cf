import { EmailLinkScreen } from '@/components/sign-in/email-link-screen';
import { redirectWhenSignedIn, createPageProps } from '@/lib/server/web';

export const getServerSideProps = createPageProps(
  '/sign-in/with-email-link',
  { awaitsConfig: true },
  redirectWhenSignedIn,
);

export default EmailLinkScreen;
