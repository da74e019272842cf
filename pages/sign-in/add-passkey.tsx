import { AddPasskeyScreen } from '@/components/account/add-passkey-screen';
import { paths } from '@/lib/shared/paths';
import { createPageProps, loadPasskeyOffer, requireSessionPage } from '@/lib/server/web';

export const getServerSideProps = createPageProps(
  paths.addPasskey,
  { awaitsConfig: true },
  requireSessionPage('add-passkey', loadPasskeyOffer),
);

export default AddPasskeyScreen;
