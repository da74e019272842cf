import { EmailLinkScreen } from '@/components/sign-in/email-link/email-link-screen';
import { alreadySignedIn, type AlreadySignedInProps } from '@/lib/server/already-signed-in';
import { servePage } from '@/lib/server/page';

export const getServerSideProps = servePage('/sign-in/with-email-link', { appConfig: true }, alreadySignedIn);

export default function EmailLinkPage({ bounced = false }: AlreadySignedInProps) {
  return <EmailLinkScreen bounced={bounced} />;
}
