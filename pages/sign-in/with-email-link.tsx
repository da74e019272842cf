import { EmailLinkScreen } from '@/components/sign-in/email-link/email-link-screen';
import { redirectWhenSignedIn, type AlreadySignedInProps } from '@/lib/server/web/already-signed-in';
import { createPageProps } from '@/lib/server/web/page';

export const getServerSideProps = createPageProps(
  '/sign-in/with-email-link',
  { appConfig: true },
  redirectWhenSignedIn,
);

export default function EmailLinkPage({ bounced = false }: AlreadySignedInProps) {
  return <EmailLinkScreen bounced={bounced} />;
}
