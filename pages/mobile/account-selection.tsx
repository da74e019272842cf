import { AccountSelectionScreen } from '@/components/mobile/account-selection-screen';
import { accountSelection, type AccountSelectionProps } from '@/lib/server/mobile/page';
import { servePage } from '@/lib/server/page';

export const getServerSideProps = servePage('/mobile/account-selection', {}, accountSelection);

export default function AccountSelectionPage({ selection, unavailable = false }: AccountSelectionProps) {
  return <AccountSelectionScreen selection={selection} unavailable={unavailable} />;
}
