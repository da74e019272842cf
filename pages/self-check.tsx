import { SelfCheckScreen } from '@/components/support/self-check-screen';
import { paths } from '@/lib/shared/paths';
import { createPageProps } from '@/lib/server/web';

export const getServerSideProps = createPageProps(paths.selfCheck);

export default SelfCheckScreen;
