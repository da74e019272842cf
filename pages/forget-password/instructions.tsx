import { InstructionsScreen } from '@/components/password-reset/instructions-screen';
import { paths } from '@/lib/shared/paths';
import { loadInstructionsStep } from '@/lib/server/web/steps';
import { createPageProps } from '@/lib/server/web/page';

export const getServerSideProps = createPageProps(paths.forgetPasswordInstructions, {}, loadInstructionsStep);

export default InstructionsScreen;
