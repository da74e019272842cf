import { InstructionsScreen } from '@/components/password-reset/instructions-screen';
import { paths } from '@/lib/shared/paths';
import { loadInstructionsStep, createPageProps } from '@/lib/server/web';

export const getServerSideProps = createPageProps(paths.forgetPasswordInstructions, {}, loadInstructionsStep);

export default InstructionsScreen;
