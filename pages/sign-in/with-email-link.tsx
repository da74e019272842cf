import { EmailLinkScreen } from '@/components/sign-in/email-link-screen';
import { redirectWhenSignedIn, type AlreadySignedInProps, createPageProps } from '@/lib/server/web';

export const getServerSideProps = createPageProps(
  '/sign-in/with-email-link',
  { appConfig: true },
  redirectWhenSignedIn,
);

export default function EmailLinkPage({ bounced = false }: AlreadySignedInProps) {
  return <EmailLinkScreen bounced={bounced} />;
}
