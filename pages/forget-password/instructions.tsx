import { InstructionsScreen } from '@/components/password-reset/instructions-screen';
import { paths } from '@/lib/shared/paths';
import { loadInstructionsStep } from '@/lib/server/page-props/steps';
import { createPageProps } from '@/lib/server/page-props/page';

export const getServerSideProps = createPageProps(paths.forgetPasswordInstructions, {}, loadInstructionsStep);

export default InstructionsScreen;
