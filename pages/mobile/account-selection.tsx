import { AccountSelectionScreen } from '@/components/mobile/account-selection-screen';
import { loadAccountSelection, createPageProps } from '@/lib/server/web';

export const getServerSideProps = createPageProps('/mobile/account-selection', {}, loadAccountSelection);

export default AccountSelectionScreen;
