import { SelfCheckScreen } from '@/components/support/self-check-screen';
import { paths } from '@/lib/paths';
import { servePage } from '@/lib/server/page';

export const getServerSideProps = servePage(paths.selfCheck);

export default function SelfCheckPage() {
  return <SelfCheckScreen />;
}
