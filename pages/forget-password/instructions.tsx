import { InstructionsScreen } from '@/components/password-reset/instructions-screen';
import { paths } from '@/lib/paths';
import { instructionsStep } from '@/lib/server/accounts/steps';
import { servePage } from '@/lib/server/page';

export const getServerSideProps = servePage(paths.forgetPasswordInstructions, {}, instructionsStep);

export default InstructionsScreen;
