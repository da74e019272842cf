import { AccountSelectionScreen } from '@/components/mobile/account-selection-screen';
import { loadAccountSelection, type AccountSelectionProps, createPageProps } from '@/lib/server/web';

export const getServerSideProps = createPageProps('/mobile/account-selection', {}, loadAccountSelection);

export default function AccountSelectionPage({ selection, unavailable = false }: AccountSelectionProps) {
  return <AccountSelectionScreen selection={selection} unavailable={unavailable} />;
}
