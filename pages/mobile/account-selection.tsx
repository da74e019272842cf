import { AccountSelectionScreen } from '@/components/mobile/account-selection-screen';
import { loadAccountSelection, type AccountSelectionProps } from '@/lib/server/web/account-selection';
import { createPageProps } from '@/lib/server/web/page';

export const getServerSideProps = createPageProps('/mobile/account-selection', {}, loadAccountSelection);

export default function AccountSelectionPage({ selection, unavailable = false }: AccountSelectionProps) {
  return <AccountSelectionScreen selection={selection} unavailable={unavailable} />;
}
