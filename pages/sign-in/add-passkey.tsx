import { AddPasskeyScreen } from '@/components/sign-in/add-passkey-screen';
import type { PasskeyOffer } from '@/lib/shared/account/passkeys';
import { paths } from '@/lib/shared/paths';
import { createPageProps, loadPasskeyOffer, requireSessionPage } from '@/lib/server/web';

export const getServerSideProps = createPageProps(
  paths.addPasskey,
  { appConfig: true },
  requireSessionPage('add-passkey', loadPasskeyOffer),
);

export default function AddPasskeyPage({
  offer = 'none',
  email = null,
}: {
  offer?: PasskeyOffer;
  email?: string | null;
}) {
  return <AddPasskeyScreen offer={offer} email={email} />;
}
